import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Example } from './examples.js';
import { runProgram } from './run-program.js';
import { type Servers, startModel } from './servers.js';

export interface Outcome {
  readonly name: string;
  readonly isOk: boolean;
  readonly seconds: number;
  /** The last line that it printed, or why it failed. */
  readonly result: string;
}

const EXAMPLES_FOLDER = new URL('../../', import.meta.url);
const TIME_LIMIT_MS = 90_000;

/** Runs an example in an empty folder, which goes afterwards. */
export async function runExample(example: Example, servers: Servers): Promise<Outcome> {
  const cwd = mkdtempSync(join(tmpdir(), 'lousho-example-'));
  const begin = performance.now();
  const outcome = await lastLineOf(example, servers, cwd).then(
    (result) => ({ isOk: true, result }),
    (error: Error) => ({ isOk: false, result: error.message }),
  );
  rmSync(cwd, { recursive: true, force: true });
  return { name: example.name, ...outcome, seconds: (performance.now() - begin) / 1_000 };
}

async function lastLineOf(example: Example, servers: Servers, cwd: string): Promise<string> {
  const { program, needsPostgres, modelAnswers, starts = [{}] } = example;
  const database = needsPostgres ? await servers.database() : {};
  const model = modelAnswers && (await startModel(modelAnswers));
  const options = {
    cwd,
    env: { ...database, ...model?.env },
    timeLimitMs: TIME_LIMIT_MS,
    onLine: (line: string) => console.log(`  ${line}`),
  };
  try {
    let lines: readonly string[] = [];
    for (const start of starts) {
      lines = await runProgram(fileURLToPath(new URL(program, EXAMPLES_FOLDER)), start, options);
      if (start.killAt !== undefined) console.log('  SIGKILL');
    }
    return lines.at(-1)?.trim() ?? '';
  } finally {
    await model?.close();
  }
}
