import { KVCheckpointStore, type KVNamespace, KVStore } from '@lousho/store-kv';
import { describe, expect, it } from 'vitest';
import { checkpoint, user, world } from './support/fixtures.js';

const ID = 'refund-42';
const LARGEST = 25 * 1_024 * 1_024;

describe('layout', () => {
  it('keys are named as documented, and values are the records themselves', async () => {
    const { kv, open } = world();
    const store = open({ prefix: 'app/' });
    await store.checkpoints.acquireLease(ID, 'worker-a', 30_000);
    const save = checkpoint({ revision: 1, businessState: new Uint8Array([1, 2]) });
    await store.checkpoints.saveIfLeased(ID, save, 'worker-a');
    await store.approvals.save(
      { id: 'a-1', toolCallId: 'c', toolName: 't', args: {}, createdAt: '2030-01-01T00:00:00.000Z' },
      {},
    );
    await store.sessions.saveIf('chat', 0, [user('one')]);
    const [entry] = kv.keys().filter((key) => key.includes('#history/'));
    expect(kv.keys()).toEqual(
      [
        'app/approvals/a-1',
        'app/checkpoints/refund-42',
        'app/checkpoints/refund-42#history',
        entry,
        'app/leases/refund-42',
        'app/sessions/chat',
      ].sort(),
    );
    const text = await kv.at('here').get('app/checkpoints/refund-42');
    expect(JSON.parse(text ?? '')).toEqual({ ...save, businessState: { $bytes: 'AQI=' } });
  });

  it('F19 a checkpoint from before there was a history loads, is listed and can go on', async () => {
    const { kv, open } = world();
    await kv
      .at('here')
      .put(`checkpoints/${ID}`, JSON.stringify({ sessionId: ID, stepIndex: 2, messages: [user('old')] }));
    const { checkpoints } = open();
    expect(await checkpoints.load(ID)).toEqual({ sessionId: ID, stepIndex: 2, messages: [user('old')] });
    expect(await checkpoints.history(ID)).toEqual([]);
    expect(await checkpoints.listPending?.()).toMatchObject([{ sessionId: ID, step: 2 }]);
    await checkpoints.save(ID, checkpoint({ revision: 1 }));
    expect(await checkpoints.history(ID)).toHaveLength(1);
  });

  it('F17 a crash after any write leaves a checkpoint that loads and a history that is valid', async () => {
    for (let survived = 0; survived <= 4; survived++) {
      const { kv, clock, open } = world();
      const before = open({ historyLimit: 2 });
      for (const revision of [1, 2]) await before.checkpoints.save(ID, checkpoint({ revision }));
      let writes = 0;
      const inner = kv.at('here');
      const dying = (write: () => Promise<void>) => async () => {
        if (writes >= survived) throw new Error('the isolate died');
        writes += 1;
        await write();
      };
      const crashing: KVNamespace = {
        ...inner,
        put: (key, value, options) => dying(() => inner.put(key, value, options))(),
        delete: (key) => dying(() => inner.delete(key))(),
      };
      const store = new KVStore(crashing, { clock, sleep: clock.sleep, historyLimit: 2 });
      const saving = store.checkpoints.save(ID, checkpoint({ revision: 3 })).then(
        () => 'saved',
        () => 'died',
      );
      expect(await saving).toBe(survived < 4 ? 'died' : 'saved');
      const reader = open({ historyLimit: 2 }).checkpoints;
      expect((await reader.load(ID))?.revision).toBe(survived === 0 ? 2 : 3);
      const revisions = (await reader.history(ID)).map((entry) => entry.checkpoint.revision);
      expect(revisions).toEqual(survived < 3 ? [2, 1] : [3, 2]);
      const entries = kv.keys().filter((key) => key.includes('#history/'));
      expect(entries.length).toBeLessThanOrEqual(3);
      await reader.save(ID, checkpoint({ revision: 4 }));
      expect((await reader.history(ID))[0]?.checkpoint.revision).toBe(4);
      await reader.delete(ID);
      expect(kv.keys(), 'unlisted entries go too').toEqual([]);
    }
  });

  it('F18 an entry that has not arrived at another location is passed over', async () => {
    const { kv, open } = world();
    const { checkpoints } = open();
    for (const revision of [1, 2, 3]) await checkpoints.save(ID, checkpoint({ revision }));
    const index = JSON.parse((await kv.at('here').get(`checkpoints/${ID}#history`)) ?? '') as string[];
    await kv.at('here').delete(`checkpoints/${ID}#history/${index[1]}`);
    expect((await checkpoints.history(ID)).map((entry) => entry.checkpoint.revision)).toEqual([3, 1]);
  });

  it('A57 the value limit of 25 MiB is checked before the first write', async () => {
    const { kv, open } = world();
    const { checkpoints, approvals, sessions } = open();
    const large = (bytes: number) => checkpoint({ revision: 1, messages: [user('é'.repeat(bytes / 2))] });
    await expect(checkpoints.save(ID, large(LARGEST))).rejects.toMatchObject({
      code: 'LOUSHO_CHECKPOINT_TOO_LARGE',
      retryable: false,
    });
    const approval = {
      id: 'a',
      toolCallId: 'c',
      toolName: 't',
      args: 'x'.repeat(LARGEST),
      createdAt: '2030-01-01T00:00:00.000Z',
    };
    await expect(approvals.save(approval, {})).rejects.toMatchObject({ code: 'LOUSHO_CHECKPOINT_TOO_LARGE' });
    await expect(sessions.saveIf('chat', 0, [user('x'.repeat(LARGEST))])).rejects.toMatchObject({
      code: 'LOUSHO_CHECKPOINT_TOO_LARGE',
    });
    expect(kv.keys()).toEqual([]);
    const fitting = large(LARGEST - 1_000);
    await checkpoints.save(ID, fitting);
    expect(await checkpoints.load(ID)).toEqual(fitting);
  });

  it('records expire by the ttl where one is asked for', async () => {
    const { clock, open } = world();
    const { checkpoints } = open({ ttl: 60 });
    await checkpoints.save(ID, checkpoint({ revision: 1 }));
    clock.advance(59_999);
    expect(await checkpoints.load(ID)).not.toBeNull();
    clock.advance(1);
    expect(await checkpoints.load(ID)).toBeNull();
    expect(await checkpoints.history(ID)).toEqual([]);
  });

  it.each([
    { ttl: 59 },
    { ttl: 60.5 },
    { prefix: 'a b' },
    { historyLimit: -1 },
    { deadlineMs: 0 },
    { tll: 60 },
  ])('the options %j are refused', (options) => {
    expect(() => new KVStore(world().kv.at('here'), options as object)).toThrow(
      expect.objectContaining({ code: 'LOUSHO_CONFIG_INVALID' }),
    );
  });

  it('a namespace that cannot list keeps runs all the same', async () => {
    const { kv, clock } = world();
    const { list: _, ...binding } = kv.at('here');
    const store = new KVStore(binding, { clock, sleep: clock.sleep });
    expect(store.checkpoints.list).toBeUndefined();
    expect(store.checkpoints.listPending).toBeUndefined();
    await store.checkpoints.save(ID, checkpoint({ revision: 1 }));
    expect(await store.checkpoints.history(ID)).toHaveLength(1);
    await expect(store.prune({ olderThanMs: 1 })).rejects.toMatchObject({ code: 'LOUSHO_CONFIG_INVALID' });
    await store.checkpoints.delete(ID);
    expect(kv.keys()).toEqual([]);
    expect(() => new KVCheckpointStore({} as KVNamespace)).toThrow('namespace');
  });
});
