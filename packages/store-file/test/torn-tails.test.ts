import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { CheckpointCorruptError } from '@lousho/core/contract';
import { fileStore } from '@lousho/store-file';
import { describe, expect, it } from 'vitest';
import { faultFs } from './support/fault-fs.js';
import { GrowingRun, wholeRevision } from './support/growing-run.js';
import { tempDir } from './support/temp-dir.js';
import { virtualTime } from './support/virtual-time.js';

const isDeep = process.env.DEEP === '1';
const OPTIONS = { graceMs: 0, compactAfterBytes: 1_000_000, fs: faultFs({ withoutSync: true }) };

describe('a log whose tail is torn', () => {
  it('at any byte of its last record reads as it was before that record, and goes on', async () => {
    const { dir, path, bytes, lastStart } = await logOf(4);
    for (let cut = lastStart; cut <= bytes.length; cut++) {
      // A record without its line feed is complete: its checksum says so.
      const wanted = cut >= bytes.length - 1 ? 4 : 3;
      writeFileSync(path, bytes.subarray(0, cut));
      await expectGoesOn(dir, wanted, `cut at ${cut}`);
    }
  });

  it('by zeroes from any byte on reads the same', async () => {
    const { dir, path, bytes, lastStart } = await logOf(4);
    for (let from = lastStart; from < bytes.length; from += isDeep ? 1 : 3) {
      const torn = Buffer.from(bytes);
      torn.fill(0, from);
      writeFileSync(path, torn);
      await expectGoesOn(dir, 3, `zeroes from ${from}`);
    }
  });

  it('is never shortened: what a slower process still writes may follow', async () => {
    const { dir, path, bytes, lastStart } = await logOf(4);
    writeFileSync(path, bytes.subarray(0, lastStart + 20));
    await expectGoesOn(dir, 3, 'cut');
    expect(readFileSync(path).subarray(0, lastStart + 20)).toEqual(bytes.subarray(0, lastStart + 20));
  });
});

describe('a damaged log', () => {
  it('is reported with the place and the newest readable revision, wherever a bit of its records flips', async () => {
    const { dir, path, bytes, lastStart } = await logOf(4);
    const firstEnd = bytes.indexOf(10) + 1;
    let reported = 0;
    // Without the line feed before it, the last record cannot be told from a tail that was cut off.
    for (let at = firstEnd; at < lastStart - 1; at += isDeep ? 1 : 7) {
      const damaged = Buffer.from(bytes);
      damaged[at] = (damaged[at] ?? 0) ^ 1;
      writeFileSync(path, damaged);
      const store = fileStore(dir, OPTIONS);
      const error: unknown = await store.checkpoints.load('r1').catch((thrown: unknown) => thrown);
      await store.close();
      expect(error, `byte ${at}`).toBeInstanceOf(CheckpointCorruptError);
      reported++;
    }
    expect(reported).toBeGreaterThan(100);
  });

  it('names its file and the newest revision before the damage', async () => {
    const { dir, path, bytes } = await logOf(4);
    const starts = lineStarts(bytes);
    const damaged = Buffer.from(bytes);
    // Lines: the snapshot, the lease, then one for each save.
    damaged[starts[4]! + 30] = 0;
    writeFileSync(path, damaged);
    const store = fileStore(dir, OPTIONS);
    await expect(store.checkpoints.load('r1')).rejects.toMatchObject({
      code: 'LOUSHO_CHECKPOINT_CORRUPT',
      newestRevision: 2,
      detail: expect.stringContaining(path),
    });
  });

  it('is one entry of a listing, and deleting it starts over with a later epoch', async () => {
    const { dir, path, bytes, run } = await logOf(4);
    const store = fileStore(dir, OPTIONS);
    await store.checkpoints.save('r2', { sessionId: 'r2', stepIndex: 7, messages: [] });
    const damaged = Buffer.from(bytes);
    damaged[bytes.length >> 1] = 0;
    writeFileSync(path, damaged);
    const pending = await store.checkpoints.listPending?.();
    expect(pending?.map(({ sessionId, step, lastError }) => [sessionId, step, lastError?.code])).toEqual([
      ['r1', 0, 'LOUSHO_CHECKPOINT_CORRUPT'],
      ['r2', 7, undefined],
    ]);
    await store.checkpoints.delete('r1');
    expect(await store.checkpoints.load('r1')).toBeNull();
    const lease = await store.checkpoints.acquireLease?.('r1', 'worker-b', 1_000);
    expect((lease as { epoch: number }).epoch).toBeGreaterThan(run.told.epoch);
  });

  it('of a newer format is refused as such', async () => {
    const { dir, path, bytes } = await logOf(1);
    const { crc32 } = await import('node:zlib');
    const body = bytes.subarray(9, bytes.indexOf(10)).toString().replace('"v":1', '"v":2');
    writeFileSync(path, `${crc32(body).toString(16).padStart(8, '0')} ${body}\n`);
    await expect(fileStore(dir).checkpoints.load('r1')).rejects.toMatchObject({
      code: 'LOUSHO_STORAGE_INCOMPATIBLE',
    });
  });
});

async function logOf(saves: number) {
  const dir = tempDir();
  const store = fileStore(dir, { ...OPTIONS, clock: virtualTime().clock });
  const run = new GrowingRun('r1');
  await run.acquire(store.checkpoints, 'worker-a');
  for (let save = 0; save < saves; save++) await run.save(store.checkpoints, 'worker-a');
  await store.close();
  const [file] = readdirSync(`${dir}/checkpoints/r1`);
  const path = `${dir}/checkpoints/r1/${file}`;
  const bytes = readFileSync(path);
  return { dir, path, bytes, run, lastStart: lineStarts(bytes).at(-1)! };
}

function lineStarts(bytes: Buffer): number[] {
  const starts = [0];
  for (let at = bytes.indexOf(10); at >= 0 && at < bytes.length - 1; at = bytes.indexOf(10, at + 1))
    starts.push(at + 1);
  return starts;
}

/** Two stores that read the torn log go on in turn, and both see it all. */
async function expectGoesOn(dir: string, wanted: number, where: string): Promise<void> {
  const [first, second] = [0, 1].map(() => fileStore(dir, { ...OPTIONS, clock: virtualTime().clock })) as [
    ReturnType<typeof fileStore>,
    ReturnType<typeof fileStore>,
  ];
  expect(await wholeRevision(first.checkpoints, 'r1'), where).toBe(wanted);
  expect(await wholeRevision(second.checkpoints, 'r1'), where).toBe(wanted);
  const run = new GrowingRun('r1');
  run.told.revision = wanted;
  expect(await run.save(second.checkpoints, 'worker-a'), where).toBe(true);
  expect(await run.save(first.checkpoints, 'worker-a'), where).toBe(true);
  expect(await wholeRevision(first.checkpoints, 'r1'), where).toBe(wanted + 2);
  expect(await wholeRevision(second.checkpoints, 'r1'), where).toBe(wanted + 2);
  await first.close();
  await second.close();
}
