import {
  type Checkpoint,
  CheckpointCorruptError,
  type CheckpointStore,
  guardCheckpointStore,
  SDKError,
} from '@lousho/core/contract';
import { describe, expect, it } from 'vitest';

function checkpoint(fields: Partial<Checkpoint> = {}): Checkpoint {
  return { sessionId: 'refund-42', stepIndex: 1, messages: [{ role: 'user', content: 'hi' }], ...fields };
}

/** The smallest store that a user can write. */
class ThreeMethods implements CheckpointStore {
  readonly records = new Map<string, Checkpoint>();
  calls = 0;

  async save(sessionId: string, record: Checkpoint): Promise<void> {
    this.calls += 1;
    this.records.set(sessionId, structuredClone(record));
  }

  async load(sessionId: string): Promise<Checkpoint | null> {
    this.calls += 1;
    return this.records.get(sessionId) ?? null;
  }

  async delete(sessionId: string): Promise<void> {
    this.calls += 1;
    this.records.delete(sessionId);
  }
}

function guarded(methods: Partial<CheckpointStore> | Record<string, unknown>): CheckpointStore {
  const base = new ThreeMethods();
  return guardCheckpointStore({
    save: (id, record) => base.save(id, record),
    load: (id) => base.load(id),
    delete: (id) => base.delete(id),
    ...methods,
  } as CheckpointStore);
}

describe('guardCheckpointStore', () => {
  it('lets a store of three methods work', async () => {
    const store = guardCheckpointStore(new ThreeMethods());
    await store.save('refund-42', checkpoint());
    expect(await store.load('refund-42')).toEqual(checkpoint());
    await store.delete('refund-42');
    expect(await store.load('refund-42')).toBeNull();
  });

  it('has only the methods that the store has', () => {
    const plain = guardCheckpointStore(new ThreeMethods());
    expect(Object.keys(plain).sort()).toEqual(['delete', 'load', 'save']);
    const capabilities = { fencing: 'none' } as const;
    const more = guarded({ capabilities, acquireLease: async () => true, list: async () => [] });
    expect(Object.keys(more).sort()).toEqual([
      'acquireLease',
      'capabilities',
      'delete',
      'list',
      'load',
      'save',
    ]);
    expect(more.capabilities).toBe(capabilities);
  });

  it('calls every method with its store as this', async () => {
    const seen: unknown[] = [];
    class Recording extends ThreeMethods {
      override async load(): Promise<null> {
        seen.push(this);
        return null;
      }
      async acquireLease(): Promise<boolean> {
        seen.push(this);
        return true;
      }
      async history(): Promise<[]> {
        seen.push(this);
        return [];
      }
    }
    const store = new Recording();
    const guard = guardCheckpointStore(store);
    await guard.load('a');
    await guard.acquireLease?.('a', 'worker-a', 1_000);
    await guard.history?.('a');
    expect(seen).toEqual([store, store, store]);
  });

  it('gives one store one guard, and a guarded store itself', () => {
    const store = new ThreeMethods();
    const guard = guardCheckpointStore(store);
    expect(guardCheckpointStore(store)).toBe(guard);
    expect(guardCheckpointStore(guard)).toBe(guard);
    expect(guardCheckpointStore(new ThreeMethods())).not.toBe(guard);
  });

  it.each([
    [null],
    [undefined],
    ['redis://'],
    [[]],
    [{}],
    [{ save() {}, load() {} }],
    [{ save() {}, load() {}, delete: 1 }],
  ])('refuses what is no store (%#)', (store) => {
    expect(() => guardCheckpointStore(store as never)).toThrow(
      expect.objectContaining({ code: 'LOUSHO_CONFIG_INVALID' }),
    );
  });

  it('refuses before the store is asked', async () => {
    const store = new ThreeMethods();
    const guard = guardCheckpointStore(store);
    const calls: [() => Promise<unknown>, string][] = [
      [() => guard.load('../evil'), 'LOUSHO_SESSION_ID_INVALID'],
      [() => guard.delete(''), 'LOUSHO_SESSION_ID_INVALID'],
      [() => guard.save('a/b', checkpoint({ sessionId: 'a/b' })), 'LOUSHO_SESSION_ID_INVALID'],
      [() => guard.save('other', checkpoint()), 'LOUSHO_CONFIG_INVALID'],
      [() => guard.save('refund-42', checkpoint({ stepIndex: -1 })), 'LOUSHO_CONFIG_INVALID'],
      [() => guard.save('refund-42', checkpoint(), { unchangedMessages: 2 }), 'LOUSHO_CONFIG_INVALID'],
      [() => guard.save('refund-42', checkpoint({ metadata: { n: 1n } })), 'LOUSHO_VALUE_INVALID'],
    ];
    for (const [call, code] of calls) await expect(call()).rejects.toMatchObject({ code });
    expect(store.calls).toBe(0);
  });

  it('refuses wrong arguments of the optional methods before the store is asked', async () => {
    const asked = async () => {
      throw new Error('the store was asked');
    };
    const guard = guarded({
      acquireLease: asked,
      renewLease: asked,
      renewLeases: asked,
      releaseLease: asked,
      saveIfLeased: asked,
      readLease: asked,
      history: asked,
      list: asked,
      listPending: asked,
    }) as Required<CheckpointStore>;
    const calls: [() => Promise<unknown>, string][] = [
      [() => guard.acquireLease('a', '', 1), 'LOUSHO_CONFIG_INVALID'],
      [() => guard.acquireLease('a', 'worker-a', 0), 'LOUSHO_CONFIG_INVALID'],
      [() => guard.acquireLease('a/b', 'worker-a', 1), 'LOUSHO_SESSION_ID_INVALID'],
      [() => guard.renewLease('a', 'worker-a', Number.NaN), 'LOUSHO_CONFIG_INVALID'],
      [() => guard.renewLeases([{ sessionId: '.', owner: 'worker-a' }], 1), 'LOUSHO_SESSION_ID_INVALID'],
      [() => guard.renewLeases([{ sessionId: 'a', owner: '' }], 1), 'LOUSHO_CONFIG_INVALID'],
      [() => guard.releaseLease('a', ''), 'LOUSHO_CONFIG_INVALID'],
      [() => guard.saveIfLeased('refund-42', checkpoint(), ''), 'LOUSHO_CONFIG_INVALID'],
      [() => guard.readLease(''), 'LOUSHO_SESSION_ID_INVALID'],
      [() => guard.history('a', { limit: -1 }), 'LOUSHO_CONFIG_INVALID'],
      [() => guard.list({ limit: 0.5 }), 'LOUSHO_CONFIG_INVALID'],
      [() => guard.list({ status: 'done' as never }), 'LOUSHO_CONFIG_INVALID'],
      [() => guard.listPending({ after: 1 as never }), 'LOUSHO_CONFIG_INVALID'],
    ];
    for (const [call, code] of calls) await expect(call()).rejects.toMatchObject({ code });
  });

  it('rounds a fraction of a ttl up', async () => {
    const ttls: number[] = [];
    const guard = guarded({
      acquireLease: async (_id: string, _owner: string, ttlMs: number) => {
        ttls.push(ttlMs);
        return true;
      },
    });
    for (const ttlMs of [0.4, 333.3, 1_000]) await guard.acquireLease?.('a', 'worker-a', ttlMs);
    expect(ttls).toEqual([1, 334, 1_000]);
  });

  it('gives an error of the store a code, names the store, and keeps the cause', async () => {
    const cause = new Error('ECONNRESET');
    class RedisLike extends ThreeMethods {
      override async load(): Promise<null> {
        throw cause;
      }
    }
    await expect(guardCheckpointStore(new RedisLike()).load('a')).rejects.toMatchObject({
      code: 'LOUSHO_STORAGE_FAILED',
      detail: 'RedisLike: load() failed: ECONNRESET',
      cause,
    });
  });

  it('codes an error that is thrown instead of rejected, and one that is no Error', async () => {
    const throwing = guarded({
      load: () => {
        throw new Error('at once');
      },
      save: () => Promise.reject('a string'),
    });
    await expect(throwing.load('a')).rejects.toMatchObject({ code: 'LOUSHO_STORAGE_FAILED' });
    await expect(throwing.save('refund-42', checkpoint())).rejects.toThrow(/a string/);
  });

  it('passes a coded error on as it is', async () => {
    const own = new SDKError('LOUSHO_STORAGE_BUSY', 'locked');
    await expect(guarded({ load: () => Promise.reject(own) }).load('a')).rejects.toBe(own);
  });

  it.each([[{}], [{ messages: 'x', stepIndex: 1 }], [{ messages: [] }], ['text'], [1]])(
    'does not pass on a loaded value that is no checkpoint (%#)',
    async (value) => {
      await expect(guarded({ load: async () => value }).load('a')).rejects.toThrow(CheckpointCorruptError);
    },
  );

  it('takes an undefined answer of load for an unknown id', async () => {
    expect(await guarded({ load: async () => undefined }).load('a')).toBeNull();
  });
});
