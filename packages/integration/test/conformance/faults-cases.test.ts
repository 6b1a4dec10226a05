import nodeFs, { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkpoint, ID, RULES } from '@lousho/conformance';
import { CELLS, PUBLIC_CASES } from '@lousho/conformance/faults';
import { fileStore } from '@lousho/store-file';
import { afterEach, describe, expect, it } from 'vitest';

const ROOT = new URL('../../../../', import.meta.url);

describe('every public case', () => {
  const known = new Set([...RULES, ...CELLS].map(({ id }) => id));

  it.each(PUBLIC_CASES)('$name, $says ($report), is kept from coming back', ({ keptBy }) => {
    const isThere = (name: string) =>
      known.has(name) || (name.endsWith('.ts') && existsSync(new URL(name, ROOT)));
    expect(keptBy.filter((name) => !isThere(name))).toEqual([]);
    expect(keptBy.length).toBeGreaterThan(0);
  });

  it('from A01 to A57 is there once', () => {
    const numbers = range(1, 57).map((number) => `A${String(number).padStart(2, '0')}`);
    expect(PUBLIC_CASES.map(({ name }) => name)).toEqual(numbers);
  });

  it.each(PUBLIC_CASES.filter(({ name }) => name >= 'A20' && (name < 'A36' || name > 'A48')))(
    '$name, of a server, is named by a test of each file that keeps it',
    ({ name, keptBy }) => {
      const files = keptBy.filter((kept) => kept.endsWith('.ts'));
      expect(files).not.toEqual([]);
      const naming = new RegExp(`['"\`](A\\d\\d )*${name}\\b`);
      for (const file of files) expect(readFileSync(new URL(file, ROOT), 'utf8'), file).toMatch(naming);
    },
  );

  it('that a cell is named after is a case', () => {
    const named = CELLS.flatMap(({ id }) => id.match(/\bA\d\d\b/g) ?? []).filter((name) => name !== 'A59');
    expect(named.filter((name) => !PUBLIC_CASES.some((each) => each.name === name))).toEqual([]);
  });
});

describe('A42 a rename that Windows refuses because somebody has the file open', () => {
  const platform = Object.getOwnPropertyDescriptor(process, 'platform') as PropertyDescriptor;
  afterEach(() => Object.defineProperty(process, 'platform', platform));

  it.each(['EPERM', 'EACCES', 'EBUSY'])('with %s, once or three times, is tried again', async (code) => {
    for (const times of [1, 3]) {
      const { store } = onWindows(code, times);
      await store.checkpoints.save(ID, checkpoint({ revision: 1 }));
      expect(await store.checkpoints.load(ID)).toEqual(checkpoint({ revision: 1 }));
      await store.close();
    }
  });

  it.each(['EPERM', 'EACCES', 'EBUSY'])(
    'with %s, every time, is a coded refusal that leaves no file',
    async (code) => {
      const { store, dir } = onWindows(code, Number.POSITIVE_INFINITY);
      const save = store.checkpoints.save(ID, checkpoint({ revision: 1 }));
      await expect(save).rejects.toMatchObject({ code: expect.stringMatching(/^LOUSHO_STORAGE_/) });
      expect(await store.checkpoints.load(ID)).toBeNull();
      expect(readdirSync(`${dir}/checkpoints`)).toEqual([]);
      await store.close();
    },
  );
});

/** A store on what passes for Windows, where so many renames fail. */
function onWindows(code: string, failures: number) {
  const dir = mkdtempSync(join(tmpdir(), 'lousho-rename-'));
  dirs.push(dir);
  Object.defineProperty(process, 'platform', { value: 'win32' });
  let left = failures;
  const renameSync: typeof nodeFs.renameSync = (from, to) => {
    left -= 1;
    if (left >= 0) throw Object.assign(new Error(`${code}: operation not permitted, rename`), { code });
    nodeFs.renameSync(from, to);
  };
  return { dir, store: fileStore(dir, { fs: { ...nodeFs, renameSync } }) };
}

const dirs: string[] = [];
afterEach(() => {
  for (const dir of dirs.splice(0)) rmSync(dir, { recursive: true, force: true });
});

function range(from: number, to: number): readonly number[] {
  return Array.from({ length: to - from + 1 }, (_, at) => from + at);
}
