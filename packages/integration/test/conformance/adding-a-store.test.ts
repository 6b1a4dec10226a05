import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));
const CLI = join(ROOT, 'packages/conformance/dist/front/cli.js');

/** What the page has the reader save, by file name. */
const files = new Map<string, string>();
/** The bugs: the lines that change, and the failures that the page names. */
const bugs: { title: string; from: string; to: string; says: string }[] = [];

const page = await readFile(join(ROOT, 'docs/adding-a-store.md'), 'utf8');
for (const [, code = '', name = ''] of page.matchAll(/```js ignore\n(\/\/ (\S+)\n[\s\S]*?)```/g))
  files.set(name, code);
for (const [, title = '', from = '', to = '', says = ''] of page.matchAll(
  /^### (.+)\n[\s\S]*?```diff\n-(.+)\n\+(.+)\n```\n\n```text\n(.+)\n```/gm,
)) {
  bugs.push({ title, from, to, says });
}

let folder: string;
beforeAll(async () => {
  // Inside the workspace, so that its packages are found as in a project of the reader's.
  await mkdir(join(ROOT, 'packages/integration/dist'), { recursive: true });
  folder = await mkdtemp(join(ROOT, 'packages/integration/dist/adding-a-store-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('docs/adding-a-store.md', () => {
  it('has a store of about 60 lines and a harness of at most 30', () => {
    expect([...files.keys()]).toEqual(['shelf-store.js', 'shelf.harness.js']);
    expect(linesOf('shelf-store.js')).toBeLessThanOrEqual(80);
    expect(linesOf('shelf.harness.js')).toBeLessThanOrEqual(30);
  });

  it('leads to a store that keeps every promise that it makes', async () => {
    await save('right', {});
    const { code, out } = await run('right');
    expect(out).not.toContain('FAILED');
    expect(out).toContain('Every promise that it makes was kept.');
    expect(code).toBe(0);
  });

  it('has three bugs', () => {
    expect(bugs).toHaveLength(3);
  });

  it.each(bugs.map((bug) => [bug.title, bug] as const))(
    '%s: the kit names it',
    async (title, { from, to, says }) => {
      const name = title.replace(/\W/g, '-');
      await save(name, { from, to });
      const { code, out } = await run(name);
      expect(out.split('\n')).toContain(says);
      expect(code).toBe(1);
    },
  );
});

function linesOf(name: string): number {
  return (files.get(name) ?? '').split('\n').filter((line) => line.trim() !== '').length;
}

async function save(name: string, { from, to }: { from?: string; to?: string }): Promise<void> {
  await mkdir(join(folder, name));
  for (const [file, text] of files) {
    const isBroken = from !== undefined && file === 'shelf-store.js';
    if (isBroken) expect(text.split(from)).toHaveLength(2);
    await writeFile(join(folder, name, file), isBroken ? text.replace(from, () => to ?? '') : text);
  }
}

function run(name: string): Promise<{ code: number; out: string }> {
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [CLI, 'shelf.harness.js', '--seed', '1'],
      { cwd: join(folder, name) },
      (error, out, err) => {
        resolve({ code: error ? Number(error.code) : 0, out: out + err });
      },
    );
  });
}
