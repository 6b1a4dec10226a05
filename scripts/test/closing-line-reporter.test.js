import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const REPORTER = join(ROOT, 'scripts/closing-line-reporter.js');
// Below the root, where the files find vitest; node_modules is never searched for tests.
const folder = mkdtempSync(join(ROOT, 'node_modules/.closing-line-'));

afterAll(() => rmSync(folder, { recursive: true }));

/** Runs vitest on the given files; returns its last line and its exit code. */
function lastLineOf(files) {
  const config = `export default { test: { include: ['*.check.js'], exclude: [], reporters: ['default', '${REPORTER}'] } };`;
  const suite = mkdtempSync(join(folder, 'suite-'));
  for (const [name, text] of Object.entries({ 'vitest.config.js': config, ...files })) {
    writeFileSync(join(suite, name), text);
  }
  const vitest = join(ROOT, 'node_modules/vitest/vitest.mjs');
  const { stdout, status } = spawnSync(process.execPath, [vitest, 'run'], { cwd: suite, encoding: 'utf8' });
  return { line: stdout.trimEnd().split('\n').at(-1), status };
}

const PASSES = "import { test } from 'vitest'; test('passes', () => {});";
const FAILS = "import { test } from 'vitest'; test('fails', () => { throw new Error('no'); });";

test('the last line counts the tests that passed', () => {
  expect(lastLineOf({ 'a.check.js': PASSES, 'b.check.js': PASSES })).toEqual({
    line: '2 passed, 0 failed',
    status: 0,
  });
});

test('a failed test, a file that does not load, a failed hook and a stray rejection are failures', () => {
  const files = {
    'a.check.js': PASSES,
    'b.check.js': FAILS,
    'c.check.js': "throw new Error('does not load');",
    'd.check.js': `import { beforeAll } from 'vitest'; ${PASSES} beforeAll(() => { throw new Error('no'); });`,
    'e.check.js': `${PASSES} Promise.reject(new Error('stray'));`,
  };
  expect(lastLineOf(files)).toEqual({ line: '2 passed, 4 failed', status: 1 });
});
