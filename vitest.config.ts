import { defineConfig } from 'vitest/config';

const isDeep = process.env.DEEP === '1';

export default defineConfig({
  test: {
    // Servers that the test files of a run share: started on demand, ended with the run.
    globalSetup: ['./packages/test-backends/dist/vitest-setup.js'],
    include: ['packages/*/test/**/*.test.ts', 'scripts/test/**/*.test.js'],
    // Whole fault matrices and the slowest backends take many minutes: `npm run test:deep`.
    exclude: ['**/node_modules/**', ...(isDeep ? [] : ['**/*.deep.test.ts'])],
    // Tests kill processes and count open files: each file gets a process of its own.
    pool: 'forks',
    retry: 0,
    testTimeout: isDeep ? 600_000 : 30_000,
    hookTimeout: 60_000,
    reporters: ['default', './scripts/closing-line-reporter.js'],
    // The packages are tested as published: Node loads their dist files itself.
    server: { deps: { external: [/\/packages\/[^/]+\/dist\//] } },
  },
});
