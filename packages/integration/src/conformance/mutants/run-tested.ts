import { execFile } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Verdict } from '@lousho/conformance/mutants';
import { patchedEnv } from './patched-env.js';
import type { TestedMutant } from './patched-mutant.js';

const ROOT = fileURLToPath(new URL('../../../../../', import.meta.url));
const VITEST = join(dirname(fileURLToPath(import.meta.resolve('vitest/package.json'))), 'vitest.mjs');

/** Holds a patched store to the tests that it names, on real servers. Rejects when the tests cannot be run. */
export async function runTestedMutant({
  name,
  file,
  killedBy,
  patches,
}: TestedMutant): Promise<readonly Verdict[]> {
  const pattern = killedBy.map((test) => `^${test.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')}`).join('|');
  const args = ['run', join(ROOT, 'packages', file), '--testNamePattern', pattern, '--reporter', 'json'];
  const output = await new Promise<string>((resolve) => {
    const options = { cwd: ROOT, env: ownRun(patchedEnv(patches)), maxBuffer: 64 * 1024 * 1024 };
    execFile(process.execPath, [VITEST, ...args], options, (_, stdout, stderr) =>
      resolve(`${stdout}\n${stderr}`),
    );
  });
  const report = output.split('\n').find((line) => line.startsWith('{"'));
  if (report === undefined) throw new Error(`${name}: ${file} was not run\n${output.slice(-2_000)}`);
  const { testResults } = JSON.parse(report) as Report;
  const tests = testResults.flatMap(({ assertionResults }) => assertionResults);
  if (tests.length === 0) throw new Error(`${name}: ${file} was not loaded: ${testResults[0]?.message}`);
  return killedBy.map((test) => verdictOf(test, tests));
}

/** What vitest says with `--reporter json`. */
interface Report {
  readonly testResults: readonly {
    readonly message: string;
    readonly assertionResults: readonly TestResult[];
  }[];
}

interface TestResult {
  readonly fullName: string;
  readonly status: string;
  readonly failureMessages: readonly string[];
}

/** vitest has no class of its own for a promise that settled otherwise than expected. */
const ASSERTED = /^(AssertionError|Error: promise (resolved|rejected) )/;

/** A time-out, and an error that no assertion looked at, are no kill. */
function verdictOf(rule: string, tests: readonly TestResult[]): Verdict {
  const own = tests.filter(({ fullName }) => fullName.startsWith(rule));
  const failures = own.flatMap(({ failureMessages }) => failureMessages);
  if (own.length === 0) return { rule, seen: 'there is no such test', isKill: false };
  const seen = failures[0] ?? own.map(({ status }) => status).join(', ');
  return { rule, seen, isKill: failures.some((failure) => ASSERTED.test(failure)) };
}

/** Without what the run of vitest that this may be a part of has set for itself. */
function ownRun(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(env).filter(([name]) => !/^(VITEST|LOUSHO_TEST_BACKENDS)/.test(name)),
  );
}
