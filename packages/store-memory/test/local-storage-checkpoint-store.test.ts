import { type Checkpoint, CheckpointCorruptError } from '@lousho/core/contract';
import { LocalStorageCheckpointStore } from '@lousho/store-memory';
import { describe, expect, it } from 'vitest';
import { QuotaStorage } from './quota-storage.js';

function checkpoint(fields: Partial<Checkpoint> = {}): Checkpoint {
  return {
    sessionId: 'refund-42',
    stepIndex: 1,
    messages: [{ role: 'user', content: 'Refund order 42' }],
    ...fields,
  };
}

const big = 'x'.repeat(2_000);

describe('LocalStorageCheckpointStore', () => {
  it('keeps one whole record per checkpoint and one per history, oldest entry first', async () => {
    const storage = new QuotaStorage();
    const clock = { now: () => Date.parse('2030-01-01T00:00:00Z'), monotonic: () => 0 };
    const store = new LocalStorageCheckpointStore(storage, { prefix: 'app/', clock });
    await store.save('refund-42', checkpoint({ stepIndex: 1 }));
    await store.save('refund-42', checkpoint({ stepIndex: 2, businessState: new Uint8Array([1, 2, 3]) }));
    expect([...storage.values.keys()].sort()).toEqual([
      'app/checkpoint-history/refund-42.json',
      'app/checkpoints/refund-42.json',
    ]);
    expect(JSON.parse(storage.getItem('app/checkpoints/refund-42.json') ?? '')).toEqual({
      ...checkpoint({ stepIndex: 2 }),
      businessState: { $bytes: 'AQID' },
    });
    const history = JSON.parse(storage.getItem('app/checkpoint-history/refund-42.json') ?? '');
    expect(history).toMatchObject([
      { step: 1, status: 'in-progress', savedAt: '2030-01-01T00:00:00.000Z', checkpoint: checkpoint() },
      { step: 2 },
    ]);
  });

  it('reads what another program wrote in this layout', async () => {
    const storage = new QuotaStorage();
    const record = { ...checkpoint(), usage: { promptTokens: 1 }, toolCalls: [] };
    storage.setItem('checkpoints/refund-42.json', JSON.stringify(record, null, 2));
    const store = new LocalStorageCheckpointStore(storage);
    expect(await store.load('refund-42')).toEqual(record);
    expect(await store.history('refund-42')).toEqual([]);
  });

  it.each([
    ['the checkpoint', 0],
    ['the history', 1_500],
  ])('changes nothing when there is no room for %s', async (_, room) => {
    const storage = new QuotaStorage();
    const store = new LocalStorageCheckpointStore(storage);
    await store.save('refund-42', checkpoint({ revision: 1, businessState: 'y'.repeat(1_000) }));
    const before = new Map(storage.values);
    storage.quota = storage.used + room;
    const next = checkpoint({ revision: 2, businessState: big });
    await expect(store.save('refund-42', next)).rejects.toMatchObject({
      code: 'LOUSHO_STORAGE_FULL',
      retryable: true,
    });
    expect(new Map(storage.values)).toEqual(before);
    storage.quota = 5_000_000;
    await store.save('refund-42', next);
    expect((await store.history('refund-42')).map((entry) => entry.checkpoint.revision)).toEqual([2, 1]);
  });

  it('leaves no trace of a first save that does not fit', async () => {
    const storage = new QuotaStorage();
    storage.quota = 3_000;
    const store = new LocalStorageCheckpointStore(storage);
    const attempt = store.save('refund-42', checkpoint({ businessState: big }));
    await expect(attempt).rejects.toMatchObject({ code: 'LOUSHO_STORAGE_FULL' });
    expect(storage.length).toBe(0);
  });

  it.each([
    ['Firefox', Object.assign(new Error('full'), { name: 'NS_ERROR_DOM_QUOTA_REACHED', code: 1014 })],
    ['an old browser', Object.assign(new Error('full'), { code: 22 })],
  ])('knows the quota error of %s', async (_, error) => {
    const storage = new QuotaStorage();
    storage.quota = 0;
    storage.refusal = () => error;
    const saving = new LocalStorageCheckpointStore(storage).save('refund-42', checkpoint());
    await expect(saving).rejects.toMatchObject({ code: 'LOUSHO_STORAGE_FULL', cause: error });
  });

  it('passes on any other failure of the storage as LOUSHO_STORAGE_FAILED', async () => {
    const storage = new QuotaStorage();
    storage.quota = 0;
    storage.refusal = () => new DOMException('denied', 'SecurityError');
    const saving = new LocalStorageCheckpointStore(storage).save('refund-42', checkpoint());
    await expect(saving).rejects.toMatchObject({ code: 'LOUSHO_STORAGE_FAILED' });
  });

  it('says that the outcome is unknown when a refused save cannot be taken back', async () => {
    const storage = new QuotaStorage();
    const store = new LocalStorageCheckpointStore(storage);
    await store.save('refund-42', checkpoint({ businessState: 'y'.repeat(1_000) }));
    storage.quota = storage.used - 900;
    // The shorter checkpoint fits, its history does not, and the room for the old checkpoint is gone.
    const saving = store.save('refund-42', checkpoint());
    await expect(saving).rejects.toMatchObject({ code: 'LOUSHO_STORE_OUTCOME_UNKNOWN' });
  });

  it.each(['', '[', '[{"step":1', '{}', 'null'])(
    'starts the history anew after one that reads %j',
    async (text) => {
      const storage = new QuotaStorage();
      const store = new LocalStorageCheckpointStore(storage);
      await store.save('refund-42', checkpoint());
      storage.setItem('checkpoint-history/refund-42.json', text);
      expect(await store.history('refund-42')).toEqual([]);
      await store.save('refund-42', checkpoint({ stepIndex: 2 }));
      expect((await store.history('refund-42')).map(({ step }) => step)).toEqual([2]);
    },
  );

  it.each(['', '{"sessionId":', 'null', '[]', '"text"', '{"messages":[]}', '{"messages":{},"stepIndex":1}'])(
    'CHECKPOINT-16 LIST-12 an unreadable record %j is an error of its own, and the others are still listed',
    async (text) => {
      const storage = new QuotaStorage();
      const store = new LocalStorageCheckpointStore(storage);
      await store.save('b', checkpoint({ sessionId: 'b', status: 'finished' }));
      storage.setItem('checkpoints/a.json', text);
      await expect(store.load('a')).rejects.toThrow(CheckpointCorruptError);
      expect(await store.list()).toMatchObject([
        {
          sessionId: 'a',
          status: 'in-progress',
          checkpoint: { lastError: { code: 'LOUSHO_CHECKPOINT_CORRUPT', retryable: false } },
        },
        { sessionId: 'b', status: 'finished' },
      ]);
      await store.delete('a');
      expect(await store.load('a')).toBeNull();
    },
  );

  it('lists only its own keys', async () => {
    const storage = new QuotaStorage();
    for (const key of [
      'other',
      'checkpoints/',
      'checkpoints/.json',
      'checkpoints/a/b.json',
      'x/checkpoints/c.json',
    ]) {
      storage.setItem(key, '{}');
    }
    const [plain, prefixed] = [
      new LocalStorageCheckpointStore(storage),
      new LocalStorageCheckpointStore(storage, { prefix: 'mine/' }),
    ];
    await prefixed.save('refund-42', checkpoint());
    expect(await plain.list()).toEqual([]);
    expect(await prefixed.list()).toHaveLength(1);
  });

  it('has no lease methods and says so', () => {
    const store = new LocalStorageCheckpointStore(new QuotaStorage());
    expect(store.capabilities).toMatchObject({ fencing: 'none', reach: 'process', survives: 'nothing' });
    expect('acquireLease' in store || 'saveIfLeased' in store).toBe(false);
  });
});
