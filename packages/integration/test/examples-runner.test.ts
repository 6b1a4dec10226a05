import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { runProgram as RunProgram } from '../../../examples/dist/runner/run-program.js';

const RUNNER = new URL('../../../examples/dist/runner/run-program.js', import.meta.url).href;
const { runProgram } = (await import(RUNNER)) as { runProgram: typeof RunProgram };

/** A program of this text, and the options to run it with. */
function program(text: string, timeLimitMs = 20_000) {
  const cwd = mkdtempSync(join(tmpdir(), 'lousho-example-'));
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }));
  const path = join(cwd, 'program.mjs');
  writeFileSync(path, text);
  return [path, { cwd, env: {}, timeLimitMs, onLine: () => undefined }] as const;
}

describe('a program of the examples', () => {
  it('fails when it ends with another exit code', async () => {
    const [path, options] = program('process.exitCode = 3');
    await expect(runProgram(path, {}, options)).rejects.toThrow('ended with 3, expected 0');
    await expect(runProgram(path, { exitCode: 3 }, options)).resolves.toEqual([]);
  });

  it('fails when it prints something else', async () => {
    const [path, options] = program("console.log('charged twice')");
    await expect(runProgram(path, { prints: ['charged once'] }, options)).rejects.toThrow(
      'expected it to print',
    );
  });

  it('fails when it does not get to the words at which it is killed', async () => {
    const [path, options] = program("console.log('charging')");
    await expect(runProgram(path, { killAt: 'shipping' }, options)).rejects.toThrow(
      'before it said "shipping"',
    );
  });

  it('is killed with what it has started when its time is over', async () => {
    // The child holds the program's output open for as long as it lives, and the runner waits for its end.
    const [path, options] = program(
      `import { spawn } from 'node:child_process';
       spawn(process.execPath, ['-e', 'setInterval(() => {}, 1_000)'], { stdio: 'inherit' });
       setInterval(() => {}, 1_000);`,
      2_000,
    );
    await expect(runProgram(path, {}, options)).rejects.toThrow('did not end within 2 s');
  });
});
