import { KVStore } from '@lousho/store-kv';
import { describe, expect, it } from 'vitest';
import { checkpoint, user, world } from './support/fixtures.js';

const ID = 'refund-42';
const APPROVAL = { toolCallId: 'c', toolName: 't', args: {}, createdAt: '2030-01-01T00:00:00.000Z' };

describe('A55: listings of many pages', () => {
  it.each([
    [1, false],
    [3, false],
    [1_000, false],
    [1, true],
    [3, true],
    [1_000, true],
  ])(
    'with %i keys a page, empty ones in between: %s, every record is found',
    async (pageSize, hasEmptyPages) => {
      const { open, clock, kv } = world({ pageSize, hasEmptyPages });
      const store = open();
      const ids = ['a', 'a-b', 'a.turn-1', 'b', 'c', 'd', 'e'];
      for (const sessionId of ids) {
        const status = sessionId < 'c' ? 'in-progress' : 'finished';
        for (const revision of [1, 2])
          await store.checkpoints.save(sessionId, checkpoint({ sessionId, revision, status }));
        await store.approvals.save({ ...APPROVAL, id: sessionId }, {});
        await store.sessions.saveIf(sessionId, 0, [user(sessionId)]);
      }
      expect((await store.checkpoints.list?.())?.map(({ sessionId }) => sessionId)).toEqual(ids);
      expect(
        (await store.checkpoints.listPending?.({ after: 'a', limit: 2 }))?.map(({ sessionId }) => sessionId),
      ).toEqual(['a-b', 'a.turn-1']);
      expect(await store.approvals.list()).toHaveLength(ids.length);
      clock.advance(1_000);
      expect(await store.prune({ olderThanMs: 500 })).toEqual({ checkpoints: 3, approvals: 0, sessions: 3 });
      expect(kv.keys().filter((key) => /checkpoints\/[cde]/.test(key))).toEqual([]);
    },
  );
});

describe('A56: one write per second and key', () => {
  it('saves wait their turn, and a heartbeat is not held up by them', async () => {
    const { clock, kv, open } = world({ isRateLimited: true });
    const { checkpoints } = open();
    await checkpoints.acquireLease(ID, 'worker-a', 30_000);
    const startedAt = clock.now();
    for (let revision = 1; revision <= 5; revision++) {
      expect(await checkpoints.saveIfLeased(ID, checkpoint({ revision }), 'worker-a')).toBe(true);
      clock.advance(500);
      expect(await checkpoints.renewLease(ID, 'worker-a', 30_000)).toBe(true);
    }
    expect(clock.now() - startedAt).toBeLessThan(30_000);
    expect(kv.refusals).toBeGreaterThan(0);
    expect((await checkpoints.history(ID)).map((entry) => entry.checkpoint.revision)).toEqual([
      5, 4, 3, 2, 1,
    ]);
    const heartbeats = kv.writes.filter((key) => key.startsWith('leases/'));
    expect(heartbeats).toHaveLength(6);
  });

  it('at the deadline it is LOUSHO_STORAGE_BUSY, retryable, on the clock that was given', async () => {
    const { clock, kv } = world();
    const refusing = {
      ...kv.at('here'),
      put: async () => {
        throw new Error('KV PUT failed: 429 Too Many Requests');
      },
    };
    const { checkpoints, approvals, sessions } = new KVStore(refusing, {
      clock,
      sleep: clock.sleep,
      deadlineMs: 5_000,
    });
    for (const call of [
      () => checkpoints.save(ID, checkpoint()),
      () => checkpoints.acquireLease(ID, 'worker-a', 30_000),
      () => approvals.save({ ...APPROVAL, id: 'a' }, {}),
      () => sessions.saveIf('chat', 0, []),
    ]) {
      const startedAt = clock.now();
      await expect(call()).rejects.toMatchObject({ code: 'LOUSHO_STORAGE_BUSY', retryable: true });
      expect(clock.now() - startedAt).toBeLessThanOrEqual(5_000);
    }
  });

  it('a write that fails and may have been made is LOUSHO_STORE_OUTCOME_UNKNOWN, one that failed for a moment is made', async () => {
    const { clock, kv } = world();
    let failures = 2;
    const inner = kv.at('here');
    const failing = {
      ...inner,
      put: async (key: string, value: string) => {
        if (failures > 0) {
          failures -= 1;
          throw new Error('KV PUT failed: 503 Service Unavailable');
        }
        await inner.put(key, value);
      },
    };
    const { checkpoints } = new KVStore(failing, { clock, sleep: clock.sleep });
    await checkpoints.save(ID, checkpoint({ revision: 1 }));
    expect((await checkpoints.load(ID))?.revision).toBe(1);
    failures = Number.POSITIVE_INFINITY;
    await expect(checkpoints.save(ID, checkpoint({ revision: 2 }))).rejects.toMatchObject({
      code: 'LOUSHO_STORE_OUTCOME_UNKNOWN',
    });
  });
});

describe('F20: a decision is claimed', () => {
  it.each([false, true])(
    'of five isolates that decide at once one is answered decided (one write a second: %s)',
    async (isRateLimited) => {
      const { clock, open } = world({ isRateLimited });
      await open().approvals.save({ ...APPROVAL, id: 'a' }, {});
      clock.advance(1_000);
      const answers = await Promise.all(
        [1, 2, 3, 4, 5].map((by) => open().approvals.decide('a', { id: 'a', approved: true, by })),
      );
      expect(answers.filter((answer) => answer === 'decided')).toHaveLength(1);
      expect((await open().approvals.load('a'))?.decision?.by).toBe(answers.indexOf('decided') + 1);
    },
  );

  it('the claim of a decider that died is in the way for 60 s, and no longer', async () => {
    const { clock, kv, open } = world();
    await open().approvals.save({ ...APPROVAL, id: 'a' }, {});
    const claim = { token: 'dead', expiresAt: clock.now() + 60_000 };
    await kv.at('here').put('approvals/a#claim', JSON.stringify(claim), { expirationTtl: 60 });
    await expect(open().approvals.decide('a', { id: 'a', approved: true })).rejects.toMatchObject({
      code: 'LOUSHO_STORAGE_BUSY',
    });
    expect(await open().approvals.list()).toHaveLength(1);
    clock.advance(60_000);
    expect(await open().approvals.decide('a', { id: 'a', approved: true })).toBe('decided');
    expect(kv.keys().filter((key) => key.includes('#claim'))).toEqual([]);
  });
});

describe('A57: another location', () => {
  it('sees its own writes at once, and others’ after the lag', async () => {
    const { clock, open } = world({ lagMs: 60_000 });
    const [here, there] = [open({ location: 'ams' }).checkpoints, open({ location: 'sfo' }).checkpoints];
    await here.save(ID, checkpoint({ revision: 1 }));
    expect((await here.load(ID))?.revision).toBe(1);
    expect(await there.load(ID)).toBeNull();
    expect(await there.list?.()).toEqual([]);
    clock.advance(60_000);
    expect((await there.load(ID))?.revision).toBe(1);
    expect(await there.history(ID)).toHaveLength(1);
  });
});
