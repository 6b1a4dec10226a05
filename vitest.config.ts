import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
// @ts-expect-error The scripts have no types.
import LongFilesFirst from './scripts/long-files-first.js';

const isDeep = process.env.DEEP === '1';

// Node reads and parses this file of certificates each time that it starts, here thousands of times; a third of what a start takes.
// No test asks a server that is not on this machine.
delete process.env.NODE_EXTRA_CA_CERTS;

export default defineConfig({
  test: {
    // Servers that the test files of a run share: started on demand, ended with the run.
    globalSetup: ['./packages/test-backends/dist/vitest-setup.js'],
    include: ['packages/*/test/**/*.test.ts', 'scripts/test/**/*.test.js'],
    // Whole fault matrices and the slowest backends take many minutes: `npm run test:deep`.
    exclude: ['**/node_modules/**', ...(isDeep ? [] : ['**/*.deep.test.ts'])],
    // Tests kill processes and count open files: each file gets a process of its own.
    pool: 'forks',
    // Many tests wait for another process: also two cores are not kept busy by one worker.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    sequence: { sequencer: LongFilesFirst },
    retry: 0,
    // For what hangs: no test is judged by its time, and on busy cores one of ten seconds takes thirty.
    testTimeout: isDeep ? 600_000 : 120_000,
    hookTimeout: 120_000,
    // A condition that is awaited may take as long as its test: a second is nothing on busy cores.
    expect: { poll: { timeout: 20_000 } },
    reporters: ['default', './scripts/closing-line-reporter.js'],
    // The packages are tested as published: Node loads their dist files itself.
    server: { deps: { external: [/\/packages\/[^/]+\/dist\//] } },
  },
});
