import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BundledStore, type CopyReport, copyStore } from '@lousho/core';
import { fileStore } from '@lousho/store-file';
import { PostgresStore } from '@lousho/store-postgres';
import { SqliteStore } from '@lousho/store-sqlite';
import { sharedPostgres } from '@lousho/test-backends';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { contentsOf, furnish } from './support/furnish.js';

const CHILD = fileURLToPath(new URL('./fixtures/copy-child.mjs', import.meta.url));
const POINTS = 20;

/** Where a store is, as the child process opens it, and the store itself. */
interface Place {
  readonly at: readonly [kind: string, place: unknown];
  open(): BundledStore;
}

const inFiles = (dir: string): Place => ({ at: ['file', dir], open: () => fileStore(dir) });
const inSqlite = (dir: string): Place => ({
  at: ['sqlite', join(dir, 'runs.db')],
  open: () => new SqliteStore(join(dir, 'runs.db')),
});
async function inPostgres(): Promise<Place> {
  const { url, freeName } = await sharedPostgres();
  const schema = freeName();
  return { at: ['postgres', { url, schema }], open: () => new PostgresStore(url, { schema }) };
}

describe.each([
  ['file', 'sqlite', inFiles, async (dir: string) => inSqlite(dir)],
  ['sqlite', 'postgres', inSqlite, inPostgres],
] as const)('a copy from %s to %s', (_from, _to, sourceIn, targetIn) => {
  const furnished = mkdtempSync(join(tmpdir(), 'lousho-source-'));
  let before: Record<string, unknown>;
  let calls: number;

  beforeAll(async () => {
    const store = sourceIn(furnished).open();
    await furnish(store);
    before = await contentsOf(store);
    await store.close();
    const undisturbed = await places();
    calls = (await run(undisturbed, undefined)).calls;
    return () => rmSync(furnished, { recursive: true, force: true });
  }, 60_000);

  it.each(Array.from({ length: POINTS }, (_, point) => point))(
    'killed at point %i and started again ends with equal stores',
    async (point) => {
      const { from, to } = await places(onTestFinished);
      const killAt = 1 + Math.floor((point * calls) / POINTS);
      expect(await run({ from, to }, killAt)).toEqual({ signal: 'SIGKILL' });
      expect(await run({ from, to }, undefined)).toMatchObject({ report: { isComplete: true } });
      const [source, target] = [from.open(), to.open()];
      expect(await contentsOf(target)).toEqual(before);
      // Nothing of it goes on at the source.
      expect(await source.checkpoints.listPending?.()).toEqual([]);
      expect(await source.approvals.list()).toEqual([]);
      expect(await copyStore(source, target)).toMatchObject({ checkpoints: 0, sessions: 0, approvals: 0 });
      await Promise.all([source.close(), target.close()]);
    },
    60_000,
  );

  async function places(whenOver?: (work: () => void) => void): Promise<{ from: Place; to: Place }> {
    const dir = mkdtempSync(join(tmpdir(), 'lousho-copy-'));
    whenOver?.(() => rmSync(dir, { recursive: true, force: true }));
    cpSync(furnished, join(dir, 'from'), { recursive: true });
    return { from: sourceIn(join(dir, 'from')), to: await targetIn(dir) };
  }
});

type Outcome = { readonly signal: string } | { readonly calls: number; readonly report: CopyReport };

function run(
  places: { from: Place; to: Place },
  killAt: undefined,
): Promise<{ calls: number; report: CopyReport }>;
function run(places: { from: Place; to: Place }, killAt: number): Promise<Outcome>;
function run({ from, to }: { from: Place; to: Place }, killAt: number | undefined): Promise<Outcome> {
  const settings = JSON.stringify({ from: from.at, to: to.at, killAt });
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [CHILD, settings], (error, out, complaints) => {
      if (error?.signal) resolve({ signal: error.signal });
      else if (error) reject(new Error(complaints));
      else resolve(JSON.parse(out) as Outcome);
    });
  });
}
