import { existsSync, readdirSync, statSync } from 'node:fs';
import { markOwnerEnded } from '@lousho/core/contract';
import { fileStore } from '@lousho/store-file';
import { describe, expect, it } from 'vitest';
import { checkpoint } from './support/checkpoint.js';
import { tempDir } from './support/temp-dir.js';
import { virtualTime } from './support/virtual-time.js';

const GRACE = 30_000;
const TTL = 30_000;

describe('leases of the file store', () => {
  it('can be taken from the expiry and the grace on, and not a millisecond before', async () => {
    const [dir, time] = [tempDir(), virtualTime()];
    const [a, b] = [fileStore(dir, { clock: time.clock }), fileStore(dir, { clock: time.clock })];
    await a.checkpoints.acquireLease?.('refund-42', 'worker-a', TTL);
    time.advance(TTL + GRACE - 1);
    expect(await b.checkpoints.acquireLease?.('refund-42', 'worker-b', TTL)).toBe(false);
    time.advance(1);
    expect(await b.checkpoints.acquireLease?.('refund-42', 'worker-b', TTL)).toEqual({ epoch: 2 });
    expect(await a.checkpoints.saveIfLeased?.('refund-42', checkpoint({ revision: 1 }), 'worker-a')).toBe(
      false,
    );
  });

  it('are prolonged by a heartbeat without a byte in their logs', async () => {
    const [dir, time] = [tempDir(), virtualTime()];
    const [a, b] = [fileStore(dir, { clock: time.clock }), fileStore(dir, { clock: time.clock })];
    const refs = ['r1', 'r2', 'r3'].map((sessionId) => ({ sessionId, owner: `worker-${sessionId}` }));
    for (const { sessionId, owner } of refs) await a.checkpoints.acquireLease?.(sessionId, owner, TTL);
    const before = bytesUnder(`${dir}/checkpoints`);
    for (let beat = 0; beat < 12; beat++) {
      time.advance(TTL - 1);
      expect(await a.checkpoints.renewLeases?.(refs, TTL)).toEqual([true, true, true]);
    }
    expect(bytesUnder(`${dir}/checkpoints`)).toBe(before);
    time.advance(TTL + GRACE - 1);
    expect(await b.checkpoints.acquireLease?.('r2', 'worker-b', TTL)).toBe(false);
    time.advance(1);
    expect(await b.checkpoints.acquireLease?.('r2', 'worker-b', TTL)).toEqual({ epoch: 2 });
  });

  it('are prolonged one by one: a heartbeat for one run keeps no other run of the process alive', async () => {
    const [dir, time] = [tempDir(), virtualTime()];
    const [a, b] = [fileStore(dir, { clock: time.clock }), fileStore(dir, { clock: time.clock })];
    await a.checkpoints.acquireLease?.('hung', 'worker-1', TTL);
    await a.checkpoints.acquireLease?.('alive', 'worker-2', TTL);
    time.advance(TTL - 1);
    expect(await a.checkpoints.renewLease?.('alive', 'worker-2', TTL)).toBe(true);
    time.advance(GRACE + 1);
    expect(await b.checkpoints.acquireLease?.('alive', 'worker-b', TTL)).toBe(false);
    expect(await b.checkpoints.acquireLease?.('hung', 'worker-b', TTL)).toEqual({ epoch: 2 });
  });

  it('that ran out but were not taken can still be renewed, and a taken one cannot', async () => {
    const [dir, time] = [tempDir(), virtualTime()];
    const [a, b] = [fileStore(dir, { clock: time.clock }), fileStore(dir, { clock: time.clock })];
    await a.checkpoints.acquireLease?.('r1', 'worker-a', TTL);
    await a.checkpoints.acquireLease?.('r2', 'worker-a2', TTL);
    time.advance(10 * TTL);
    await b.checkpoints.acquireLease?.('r2', 'worker-b', TTL);
    const refs = [
      { sessionId: 'r1', owner: 'worker-a' },
      { sessionId: 'r2', owner: 'worker-a2' },
    ];
    expect(await a.checkpoints.renewLeases?.(refs, TTL)).toEqual([true, false]);
    time.advance(TTL + GRACE - 1);
    expect(await b.checkpoints.acquireLease?.('r1', 'worker-b', TTL)).toBe(false);
  });

  it('outlive the removal of their heartbeat file: the next renewal goes to the log', async () => {
    const [dir, time] = [tempDir(), virtualTime()];
    const [a, b] = [fileStore(dir, { clock: time.clock }), fileStore(dir, { clock: time.clock })];
    await a.checkpoints.acquireLease?.('r1', 'worker-a', TTL);
    const { rmSync } = await import('node:fs');
    for (const file of readdirSync(`${dir}/heartbeats`)) rmSync(`${dir}/heartbeats/${file}`);
    time.advance(TTL - 1);
    expect(await a.checkpoints.renewLease?.('r1', 'worker-a', TTL)).toBe(true);
    time.advance(TTL + GRACE - 1);
    expect(await b.checkpoints.acquireLease?.('r1', 'worker-b', TTL)).toBe(false);
  });

  it('of an owner that ended in this process are free at once', async () => {
    const store = fileStore(tempDir());
    await store.checkpoints.acquireLease?.('r1', 'worker-gone', TTL);
    expect(await store.checkpoints.acquireLease?.('r1', 'worker-b', TTL)).toBe(false);
    markOwnerEnded('worker-gone');
    expect(await store.checkpoints.acquireLease?.('r1', 'worker-b', TTL)).toEqual({ epoch: 2 });
  });

  it('never give an epoch of one id out twice, also after the id was removed altogether', async () => {
    const dir = tempDir();
    const store = fileStore(dir);
    const epochs: number[] = [];
    for (let round = 0; round < 5; round++) {
      const lease = await store.checkpoints.acquireLease?.('r1', `worker-${round}`, TTL);
      epochs.push((lease as { epoch: number }).epoch);
      await store.checkpoints.save('r1', checkpoint({ sessionId: 'r1' }));
      await store.checkpoints.delete('r1');
      await expect.poll(() => existsSync(`${dir}/checkpoints/r1`)).toBe(false);
    }
    expect(epochs).toEqual([...new Set(epochs)].sort((a, b) => a - b));
  });

  it('are refused for an unknown id without making anything', async () => {
    const dir = `${tempDir()}/new`;
    const store = fileStore(dir);
    expect(await store.checkpoints.renewLease?.('r1', 'worker-a', TTL)).toBe(false);
    await store.checkpoints.releaseLease?.('r1', 'worker-a');
    expect(await store.checkpoints.saveIfLeased?.('refund-42', checkpoint(), 'worker-a')).toBe(false);
    await store.checkpoints.delete('r1');
    expect(await store.checkpoints.load('r1')).toBeNull();
    expect(existsSync(dir)).toBe(false);
  });
});

function bytesUnder(dir: string): number {
  return readdirSync(dir, { recursive: true, encoding: 'utf8' })
    .map((path) => statSync(`${dir}/${path}`))
    .reduce((sum, stat) => sum + (stat.isFile() ? stat.size : 0), 0);
}

describe('a store that is closed while it works', () => {
  it('finishes what is under way and leaves no file open', async () => {
    const dir = tempDir();
    const first = fileStore(dir);
    await first.checkpoints.acquireLease?.('r0', 'worker-a', TTL);
    await first.close();
    const before = readdirSync('/proc/self/fd').length;
    const store = fileStore(dir);
    const started = Array.from({ length: 40 }, (_, index) =>
      store.checkpoints.acquireLease?.(`r${index}`, `worker-${index}`, TTL),
    );
    await store.close();
    const answers = await Promise.all(started);
    expect(answers.slice(1)).toEqual(Array.from({ length: 39 }, () => ({ epoch: 1 })));
    expect(readdirSync('/proc/self/fd').length).toBe(before);
  });
});
