import { KVCheckpointStore, type KVNamespace, KVStore } from '@lousho/store-kv';
import { connectKv, sharedKv } from '@lousho/test-backends';
import { describe, expect, it } from 'vitest';
import { checkpoint, user } from './support/fixtures.js';

const ID = 'refund-42';
const server = await sharedKv();

function binding(): KVNamespace {
  return connectKv(server.url) as KVNamespace;
}

describe('on workerd', () => {
  it('runs, approvals and conversations come back through another binding, 5 MB of multi-byte text included', async () => {
    const options = { prefix: `${server.freeName()}/`, ttl: 3_600 };
    const store = new KVStore(binding(), options);
    const large = checkpoint({
      revision: 1,
      messages: [user('aé€𝄞'.repeat(500_000))],
      businessState: new Uint8Array([0, 255]),
    });
    expect(await store.checkpoints.acquireLease(ID, 'worker-a', 30_000)).toBeTruthy();
    expect(await store.checkpoints.saveIfLeased(ID, large, 'worker-a')).toBe(true);
    await store.sessions.saveIf('chat', 0, [user('one')]);
    const other = new KVStore(binding(), options);
    expect(await other.checkpoints.load(ID)).toEqual(large);
    expect(await other.checkpoints.history(ID)).toHaveLength(1);
    expect(await other.checkpoints.listPending?.()).toMatchObject([{ sessionId: ID }]);
    expect(await other.checkpoints.acquireLease(ID, 'worker-b', 30_000)).toBe(false);
    expect(await other.checkpoints.saveIfLeased(ID, large, 'worker-b')).toBe(false);
    expect((await other.sessions.load('chat'))?.revision).toBe(1);
    await other.checkpoints.delete(ID);
    expect(await store.checkpoints.load(ID)).toBeNull();
  });

  it('the binding refuses what the fake refuses, in words that are understood', async () => {
    const kv = binding();
    const key = server.freeName();
    await expect(kv.put(key, 'x', { expirationTtl: 59 })).rejects.toThrow(/400.*at least 60/);
    await expect(kv.put(key, 'x'.repeat(25 * 1_024 * 1_024 + 1))).rejects.toThrow(/413/);
  });

  it('the checkpoints alone are a store too', async () => {
    const store = new KVCheckpointStore(binding(), { prefix: `${server.freeName()}/`, historyLimit: 1 });
    await store.save(ID, checkpoint({ revision: 1 }));
    await store.save(ID, checkpoint({ revision: 2 }));
    expect((await store.history(ID)).map((entry) => entry.checkpoint.revision)).toEqual([2]);
  });
});
