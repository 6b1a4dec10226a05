import { mkdirSync, rmSync } from 'node:fs';
import { fileStore } from '@lousho/store-file';
import { describe, expect, it } from 'vitest';
import { faultFs } from './support/fault-fs.js';
import { GrowingRun, type Told, wholeRevision } from './support/growing-run.js';
import { PowerLossDisk, type PowerLossMutations } from './support/power-loss-disk.js';
import { random } from './support/random.js';
import { tempDir } from './support/temp-dir.js';
import { virtualTime } from './support/virtual-time.js';

const isDeep = process.env.DEEP === '1';
/** Of the flow, before it deletes. */
const LAST_REVISION = 13;
const SEED = Number(process.env.SEED ?? 1);

describe('a power cut', () => {
  it('after any operation of the disk loses nothing that was acknowledged', {
    timeout: 600_000,
  }, async () => {
    const { states, violations } = await powerCuts({}, { variants: isDeep ? 42 : 6 });
    console.log(`power-loss states: ${states}, seed ${SEED}`);
    expect(violations).toEqual([]);
  });

  const mutants: readonly [name: string, mutations: PowerLossMutations][] = [
    ['files are not synced', { ignoreFileSync: true }],
    ['no directory is synced', { ignoreDirectorySync: () => true }],
    [
      'the directory of the ids is not synced',
      { ignoreDirectorySync: (path) => path.endsWith('/checkpoints') },
    ],
    [
      'the directories of the ids are not synced',
      { ignoreDirectorySync: (path) => /\/(r1|\.new-\w+)$/.test(path) },
    ],
    ['the root is not synced', { ignoreDirectorySync: (path) => path.endsWith('/disk') }],
  ];
  it.each(mutants)('is seen to lose something when %s', async (_, mutations) => {
    const { violations } = await powerCuts(mutations, { variants: 4, untilFirst: true });
    expect(violations.length).toBeGreaterThan(0);
  });
});

/** Runs a flow on a watched disk, then cuts the power after each of its events in several ways, and looks what is left. */
async function powerCuts(
  mutations: PowerLossMutations,
  { variants, untilFirst = false }: { readonly variants: number; readonly untilFirst?: boolean },
) {
  const base = tempDir();
  const disk = new PowerLossDisk<Told>(base, mutations);
  await flow(`${base}/disk`, disk);
  const chance = random(SEED);
  const violations: string[] = [];
  let states = 0;
  for (let events = 0; events <= disk.length; events++) {
    for (let mode = 0; mode < variants; mode++) {
      const target = tempDirOf(base, 'cut');
      const { told, build } = disk.cut(events, mode % 6, chance.next);
      build(target);
      states++;
      const violation = await look(`${target}/disk`, told);
      if (violation) violations.push(`event ${events}, mode ${mode}: ${violation}`);
      if (violation && untilFirst) return { states, violations };
    }
  }
  return { states, violations };
}

/** Creation by a process that dies before its syncs, saves, compactions, a second client, a take-over, a delete and a new start. */
async function flow(dir: string, disk: PowerLossDisk<Told>): Promise<void> {
  const time = virtualTime();
  const options = { clock: time.clock, graceMs: 0, historyLimit: 4, compactAfterBytes: 300 };
  const run = new GrowingRun('r1', (told) => disk.tell(told));
  let renames = 0;
  const dying = fileStore(dir, {
    ...options,
    fs: disk.fs((call) => {
      if (call === 'renameSync') renames++;
      if (renames > 0 && call === 'fsync') throw new Error('killed');
    }),
  });
  await dying.checkpoints.acquireLease?.('r1', 'worker-0', 1).catch(() => undefined);
  time.advance(10);
  const a = fileStore(dir, { ...options, fs: disk.fs() });
  const b = fileStore(dir, { ...options, fs: disk.fs() });
  await run.acquire(a.checkpoints, 'worker-a');
  for (let save = 0; save < 7; save++) await run.save(a.checkpoints, 'worker-a');
  await a.checkpoints.renewLease?.('r1', 'worker-a', 40_000);
  await run.save(a.checkpoints, 'worker-a');
  time.advance(50_000);
  await run.acquire(b.checkpoints, 'worker-b');
  for (let save = 0; save < 4; save++) await run.save(b.checkpoints, 'worker-b');
  await b.checkpoints.releaseLease?.('r1', 'worker-b');
  await run.acquire(a.checkpoints, 'worker-a2');
  await run.save(a.checkpoints, 'worker-a2');
  await a.checkpoints.delete('r1');
  expect(run.told.revision).toBe(LAST_REVISION);
  run.told.revision = 0;
  run.told.isDeleted = true;
  disk.tell(run.told);
  await a.checkpoints.load('r1');
  await run.acquire(b.checkpoints, 'worker-b2');
  await run.save(b.checkpoints, 'worker-b2');
  await Promise.all([a.close(), b.close()]);
}

async function look(dir: string, told: Told | undefined): Promise<string | undefined> {
  const store = fileStore(dir, {
    graceMs: 0,
    historyLimit: 4,
    clock: { ...virtualTime().clock, hostTime: () => ({ domain: 'later', monotonicMs: 0, wallMs: 9e12 }) },
    fs: faultFs({ withoutSync: true }),
  });
  try {
    const revision = await wholeRevision(store.checkpoints, 'r1');
    const wanted = told?.revision ?? 0;
    // The operation under way may have happened or not; a delete may have.
    const isExpected =
      revision === wanted || revision === wanted + 1 || (revision === 0 && wanted === LAST_REVISION);
    if (!isExpected && !(told?.isDeleted && revision <= 1)) return `told ${wanted}, found ${revision}`;
    const run = new GrowingRun('r1');
    run.told.revision = revision;
    run.told.epoch = told?.epoch ?? 0;
    if (!(await run.acquire(store.checkpoints, 'worker-c'))) return 'cannot take over';
    if ((await store.checkpoints.readLease?.('r1'))?.epoch === told?.epoch) return 'an epoch came twice';
    if (!(await run.save(store.checkpoints, 'worker-c'))) return 'cannot go on';
    if ((await wholeRevision(store.checkpoints, 'r1')) !== revision + 1) return 'went on wrongly';
    return undefined;
  } catch (error) {
    return String((error as Error).stack).slice(0, 300);
  } finally {
    await store.close();
  }
}

function tempDirOf(base: string, name: string): string {
  rmSync(`${base}/${name}`, { recursive: true, force: true });
  mkdirSync(`${base}/${name}`);
  return `${base}/${name}`;
}
