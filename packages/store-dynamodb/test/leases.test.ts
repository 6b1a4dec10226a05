import { describe, expect, it } from 'vitest';
import { checkpoint, clockOf, open } from './support/fixtures.js';

const ID = 'refund-42';
const TTL = 30_000;

describe('a lease is judged by watching it', () => {
  it('a fresh client waits a whole ttl, however long the holder has been dead', async () => {
    const [clock, other] = [clockOf(), clockOf()];
    const holder = open({ clock });
    await holder.checkpoints.acquireLease(ID, 'worker-a', TTL);
    clock.advance(86_400_000);
    const fresh = open({ clock: other, tableName: holder.tableName }).checkpoints;
    expect(await fresh.acquireLease(ID, 'worker-b', TTL)).toBe(false);
    other.advance(TTL - 1);
    expect(await fresh.acquireLease(ID, 'worker-b', TTL)).toBe(false);
    other.advance(1);
    expect(await fresh.acquireLease(ID, 'worker-b', TTL)).toBeTruthy();
    expect(await holder.checkpoints.renewLease(ID, 'worker-a', TTL)).toBe(false);
  });

  it('each renewal starts the watch anew, and no wall clock counts', async () => {
    const holder = open({ clock: clockOf(0) });
    const clock = clockOf(4e12);
    const taker = open({ clock, tableName: holder.tableName }).checkpoints;
    await holder.checkpoints.acquireLease(ID, 'worker-a', TTL);
    for (let beat = 0; beat < 5; beat++) {
      expect(await taker.acquireLease(ID, 'worker-b', TTL)).toBe(false);
      clock.advance(TTL - 1);
      expect(await taker.acquireLease(ID, 'worker-b', TTL)).toBe(false);
      expect(await holder.checkpoints.renewLease(ID, 'worker-a', TTL)).toBe(true);
    }
  });

  it('a release by somebody else does not make the watch start anew', async () => {
    const clock = clockOf();
    const holder = open({ clock });
    await holder.checkpoints.acquireLease(ID, 'worker-a', TTL);
    const taker = open({ clock, tableName: holder.tableName }).checkpoints;
    await taker.readLease(ID);
    clock.advance(TTL - 1);
    await taker.releaseLease(ID, 'worker-b');
    clock.advance(1);
    expect(await taker.acquireLease(ID, 'worker-b', TTL)).toBeTruthy();
  });

  it('takeableAt is as far away as this client still has to watch', async () => {
    const holder = open({ clock: clockOf() });
    await holder.checkpoints.acquireLease(ID, 'worker-a', TTL);
    const clock = clockOf();
    const watcher = open({ clock, tableName: holder.tableName }).checkpoints;
    expect((await watcher.readLease(ID))?.takeableAt).toBe('2030-01-01T00:00:30.000Z');
    clock.advance(10_000);
    expect((await watcher.readLease(ID))?.takeableAt).toBe('2030-01-01T00:00:30.000Z');
    await holder.checkpoints.renewLease(ID, 'worker-a', TTL);
    expect((await watcher.readLease(ID))?.takeableAt).toBe('2030-01-01T00:00:40.000Z');
    clock.advance(TTL);
    expect(await watcher.readLease(ID)).toBeNull();
  });

  it('of two that have watched long enough one is granted', async () => {
    const clock = clockOf();
    const holder = open({ clock });
    await holder.checkpoints.acquireLease(ID, 'worker-a', TTL);
    const takers = [1, 2, 3, 4].map(() => open({ clock, tableName: holder.tableName }).checkpoints);
    for (const taker of takers) await taker.readLease(ID);
    clock.advance(TTL);
    const answers = await Promise.all(takers.map((taker, at) => taker.acquireLease(ID, `worker-${at}`, TTL)));
    expect(answers.filter(Boolean)).toHaveLength(1);
  });

  it('epochs go on after a record was removed by the TTL', async () => {
    const clock = clockOf();
    const { checkpoints, faults, tableName } = open({ clock });
    const first = await checkpoints.acquireLease(ID, 'worker-a', TTL);
    await checkpoints.saveIfLeased(ID, checkpoint({ revision: 1, status: 'finished' }), 'worker-a');
    const { DeleteItemCommand } = await import('@aws-sdk/client-dynamodb');
    const Key = { pk: { S: `c#${ID}` }, sk: { S: 'head' } };
    await faults.client.send(new DeleteItemCommand({ TableName: tableName, Key }));
    clock.advance(1_000);
    const second = await checkpoints.acquireLease(ID, 'worker-b', TTL);
    expect(second && first && (second as { epoch: number }).epoch > (first as { epoch: number }).epoch).toBe(
      true,
    );
    expect(await checkpoints.saveIfLeased(ID, checkpoint({ revision: 1 }), 'worker-b')).toBe(true);
    expect(await checkpoints.history(ID)).toHaveLength(1);
  });
});
