import { execFile, execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { parse } from 'node:path';
import { fileURLToPath } from 'node:url';
import { sharedPostgres } from '@lousho/test-backends';
import { describe, expect, it } from 'vitest';

const FOLDER = new URL('../../../examples/', import.meta.url);
const RUNNER = fileURLToPath(new URL('dist/runner/main.js', FOLDER));

const names = execFileSync(process.execPath, [RUNNER, '--list'], { encoding: 'utf8' }).trim().split('\n');
/** Tests of their own say more about them: ai-sdk/examples.test.ts and approval/example.test.ts. */
const isTestedElsewhere = (name: string) => ['ai-sdk', 'approval', 'mcp-tools'].includes(name);

describe('npm run examples', () => {
  // They wait more than they work: for leases, and for what KV takes in a second.
  it.concurrent.each(names.filter((name) => !isTestedElsewhere(name)))(
    '%s shows what it says',
    async (name) => {
      const { code, said } = await runExamples([name]);
      expect(code, said).toBe(0);
      expect(said).toMatch(new RegExp(`^ok +${name} `, 'm'));
    },
    120_000,
  );

  it('has every program of the folder, and so has its README', () => {
    const others = ['dist', 'node_modules', '.turbo', 'runner', 'support', 'langgraph-savers'];
    const programs = readdirSync(FOLDER, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() || /\.[jt]s$/.test(entry.name))
      .map((entry) => parse(entry.name).name);
    expect([...names].sort()).toEqual(programs.filter((name) => !others.includes(name)).sort());
    const table = readFileSync(new URL('README.md', FOLDER), 'utf8').matchAll(/^\| \[([\w-]+)\]/gm);
    expect([...table].map(([, name]) => name).sort()).toEqual([...names].sort());
  });

  it('refuses a name that it does not know', async () => {
    expect(await runExamples(['no-such'])).toMatchObject({ code: 2 });
  });
});

async function runExamples(
  args: readonly string[],
): Promise<{ readonly code: number; readonly said: string }> {
  const { url } = await sharedPostgres();
  const env = { ...process.env, DATABASE_URL: url };
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [RUNNER, ...args], { env }, (_, stdout, stderr) =>
      resolve({ code: child.exitCode ?? -1, said: `${stdout}${stderr}` }),
    );
  });
}
