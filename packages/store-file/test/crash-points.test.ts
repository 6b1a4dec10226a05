import nodeFs, { readdirSync, rmSync } from 'node:fs';
import { fileStore } from '@lousho/store-file';
import { describe, expect, it } from 'vitest';
import { errno, type FsCall, faultFs } from './support/fault-fs.js';
import { runFlow } from './support/flow.js';
import { GrowingRun, wholeRevision } from './support/growing-run.js';
import { tempDir } from './support/temp-dir.js';
import { virtualTime } from './support/virtual-time.js';

/** Calls that change the disk or bring it to rest; a crash before any other is the same as before the next of these. */
const CHANGING: readonly FsCall[] = [
  'openSync',
  'writeSync',
  'mkdirSync',
  'renameSync',
  'unlinkSync',
  'rmdirSync',
  'fdatasync',
  'fsync',
];
const OPTIONS = { graceMs: 0, historyLimit: 3, compactAfterBytes: 200 };

describe('a process that dies', () => {
  it('before any of its file calls leaves what was acknowledged, and another goes on', async () => {
    const dir = tempDir();
    const calls = await countCalls(dir);
    expect(calls).toBeGreaterThan(40);
    for (let point = 1; point <= calls; point++) {
      for (const written of [0, 0.5, 1]) await crashAt(dir, point, written);
    }
  });
});

describe('a single failing call', () => {
  it.each(['ENOSPC', 'EIO', 'EDQUOT'])(
    'with %s is never an acknowledgement of what is not there, and the run goes on',
    async (code) => {
      const dir = tempDir();
      const calls = await countCalls(dir);
      for (let point = 1; point <= calls; point++) await failAt(dir, point, code);
    },
  );

  it('with a full disk for a while changes nothing that was there', async () => {
    const dir = tempDir();
    let isFull = false;
    const fs = faultFs({
      withoutSync: true,
      before: (call) => {
        if (isFull && (call === 'writeSync' || call === 'mkdirSync')) throw errno('ENOSPC');
      },
    });
    const store = fileStore(dir, { ...OPTIONS, fs, clock: virtualTime().clock });
    const run = new GrowingRun('r1');
    await run.acquire(store.checkpoints, 'worker-a');
    for (let save = 0; save < 4; save++) await run.save(store.checkpoints, 'worker-a');
    await store.checkpoints.history?.('r1');
    isFull = true;
    const before = readdirSync(`${dir}/checkpoints/r1`);
    await expect(run.save(store.checkpoints, 'worker-a')).rejects.toMatchObject({
      code: 'LOUSHO_STORAGE_FULL',
    });
    await expect(store.checkpoints.save('new', { ...newRun, sessionId: 'new' })).rejects.toMatchObject({
      code: 'LOUSHO_STORAGE_FULL',
      retryable: true,
    });
    expect(await wholeRevision(store.checkpoints, 'r1')).toBe(4);
    expect(readdirSync(`${dir}/checkpoints/r1`)).toEqual(before);
    expect(await store.checkpoints.renewLease?.('r1', 'worker-a', 30_000).catch(() => 'full')).toBe('full');
    isFull = false;
    expect(await run.save(store.checkpoints, 'worker-a')).toBe(true);
    expect(await wholeRevision(store.checkpoints, 'r1')).toBe(5);
    expect(await store.checkpoints.load('new')).toBeNull();
  });

  it('of a sync is an unknown outcome, and the log moves to a new file before anything is acknowledged again', async () => {
    const dir = tempDir();
    let failures = 0;
    const fs = faultFs({
      before: (call) => {
        if (call === 'fdatasync' && failures > 0) {
          failures--;
          throw errno('EIO');
        }
      },
    });
    const store = fileStore(dir, { fs });
    const run = new GrowingRun('r1');
    await run.acquire(store.checkpoints, 'worker-a');
    await run.save(store.checkpoints, 'worker-a');
    const [before] = readdirSync(`${dir}/checkpoints/r1`);
    failures = 1;
    await expect(run.save(store.checkpoints, 'worker-a')).rejects.toMatchObject({
      code: 'LOUSHO_STORE_OUTCOME_UNKNOWN',
      retryable: true,
    });
    expect(await wholeRevision(store.checkpoints, 'r1')).toBe(2);
    expect(await run.save(store.checkpoints, 'worker-a', 2)).toBe(true);
    expect(readdirSync(`${dir}/checkpoints/r1`)).not.toContain(before);
    expect(await wholeRevision(store.checkpoints, 'r1')).toBe(2);
  });

  it.each(['EROFS', 'EACCES', 'EPERM'])(
    'with %s says that the storage is read-only, and reads go on',
    async (code) => {
      const dir = tempDir();
      const writer = fileStore(dir);
      const run = new GrowingRun('r1');
      await run.acquire(writer.checkpoints, 'worker-a');
      await run.save(writer.checkpoints, 'worker-a');
      const fs = faultFs({
        before: (call, [, flags]) => {
          if (call === 'openSync' && typeof flags === 'number' && flags & nodeFs.constants.O_RDWR)
            throw errno(code);
          if (['writeSync', 'mkdirSync', 'renameSync', 'unlinkSync'].includes(call)) throw errno(code);
        },
      });
      const reader = fileStore(dir, { fs });
      expect(await wholeRevision(reader.checkpoints, 'r1')).toBe(1);
      await expect(run.save(reader.checkpoints, 'worker-a')).rejects.toMatchObject({
        code: 'LOUSHO_STORAGE_READ_ONLY',
        retryable: false,
      });
    },
  );
});

const newRun = { stepIndex: 0, messages: [], status: 'in-progress' as const };

async function countCalls(dir: string): Promise<number> {
  rmSync(dir, { recursive: true, force: true });
  let calls = 0;
  const fs = faultFs({ withoutSync: true, before: (call) => void (CHANGING.includes(call) && calls++) });
  const store = fileStore(dir, { ...OPTIONS, fs, clock: virtualTime().clock });
  await runFlow(store, new GrowingRun('r1'));
  await store.close();
  return calls;
}

/** Dies before call `point`; if it is a write, so much of it has happened. */
async function crashAt(dir: string, point: number, written: number): Promise<void> {
  rmSync(dir, { recursive: true, force: true });
  let calls = 0;
  const before = (call: FsCall, args: readonly unknown[]) => {
    if (CHANGING.includes(call)) calls++;
    if (calls < point) return;
    if (calls === point && call === 'writeSync' && written > 0) {
      calls++;
      const [fd, bytes, offset = 0, length] = args as [number, Buffer, number?, number?];
      const wanted = Math.floor((length ?? bytes.length - offset) * written);
      nodeFs.writeSync(fd, bytes, offset, wanted);
    }
    throw errno('KILLED');
  };
  const run = new GrowingRun('r1');
  const dying = fileStore(dir, {
    ...OPTIONS,
    fs: faultFs({ withoutSync: true, before }),
    clock: virtualTime().clock,
  });
  await runFlow(dying, run).catch(() => undefined);
  const after = fileStore(dir, {
    ...OPTIONS,
    fs: faultFs({ withoutSync: true }),
    clock: virtualTime().clock,
  });
  const where = `point ${point}, written ${written}, told ${run.told.revision}`;
  const found = await wholeRevision(after.checkpoints, 'r1');
  expect([run.told.revision, run.told.revision + 1], where).toContain(found);
  const lease = await after.checkpoints.readLease?.('r1');
  if (lease) expect(await after.checkpoints.acquireLease?.('r1', 'worker-b', 1_000), where).toBe(false);
  run.told.revision = found;
  expect(await run.acquire(after.checkpoints, lease?.owner ?? 'worker-b'), where).toBe(true);
  expect(await run.save(after.checkpoints, lease?.owner ?? 'worker-b'), where).toBe(true);
  expect(await wholeRevision(after.checkpoints, 'r1'), where).toBe(found + 1);
  await after.close();
}

async function failAt(dir: string, point: number, code: string): Promise<void> {
  rmSync(dir, { recursive: true, force: true });
  let calls = 0;
  const before = (call: FsCall) => {
    if (CHANGING.includes(call) && ++calls === point) throw errno(code);
  };
  const run = new GrowingRun('r1', () => undefined);
  const store = fileStore(dir, {
    ...OPTIONS,
    fs: faultFs({ withoutSync: true, before }),
    clock: virtualTime().clock,
  });
  const where = `${code} at call ${point}`;
  await runFlow(store, run, 2);
  expect(run.told.revision, where).toBe(9);
  expect(await wholeRevision(store.checkpoints, 'r1'), where).toBe(9);
  const other = fileStore(dir, {
    ...OPTIONS,
    fs: faultFs({ withoutSync: true }),
    clock: virtualTime().clock,
  });
  expect(await wholeRevision(other.checkpoints, 'r1'), where).toBe(9);
  expect(await run.acquire(other.checkpoints, 'worker-b'), where).toBe(true);
  expect(await run.save(other.checkpoints, 'worker-b'), where).toBe(true);
  await store.close();
  await other.close();
}
