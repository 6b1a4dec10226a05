import {
  type Checkpoint,
  CheckpointCorruptError,
  type CheckpointStore,
  type CreateAgentOptions,
  createAgent,
  type PendingRun,
  PropagatingToolError,
  SDKError,
} from '@lousho/core';
import { mockModel } from '@lousho/core/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { deferred, settled, until } from '../executor/support/deferred.js';
import { type Replica, replicas } from '../executor/support/replicas.js';
import { spyStore } from '../executor/support/spy-store.js';
import { calls, countingTool, tool } from '../executor/support/tools.js';
import { codeOf, rejection } from '../support/rejections.js';

const INTERVAL = 1_000;

/** A run that a crash interrupted before its tool `a` had a result. */
function interrupted(sessionId: string, fields: Partial<Checkpoint> = {}): Checkpoint {
  return {
    sessionId,
    revision: 1,
    stepIndex: 1,
    status: 'in-progress',
    messages: [
      { role: 'user', content: 'Go' },
      {
        role: 'assistant',
        content: '',
        toolCalls: [{ id: `${sessionId}-a`, type: 'function', function: { name: 'a', arguments: '{}' } }],
      },
    ],
    ...fields,
  };
}

const paused = (sessionId: string) =>
  interrupted(sessionId, { status: 'awaiting-approval', approvalId: `approval-${sessionId}` });
const finished = (sessionId: string): Checkpoint => ({
  sessionId,
  stepIndex: 1,
  status: 'finished',
  messages: [{ role: 'user', content: 'Hi' }],
});

function world() {
  const all = replicas();
  const a = countingTool('a');
  return {
    ...all,
    a,
    store: async (...checkpoints: Checkpoint[]) => {
      for (const checkpoint of checkpoints) await all.inner.save(checkpoint.sessionId, checkpoint);
    },
    start: (
      options: Partial<Omit<CreateAgentOptions, 'store' | 'ports'>> = {},
      view?: Parameters<typeof all.start>[1],
    ) => {
      const provider = mockModel(['Done.'], { onExhausted: 'repeat-last' });
      return { provider, ...all.start({ provider, tools: [a], ...options }, view) };
    },
  };
}

/** A recovery loop that ends with the test, and what it reported. */
function recovering(replica: Replica, options: Parameters<Replica['agent']['recover']>[0] = {}) {
  const recovered: string[] = [];
  const errors: { code: string | undefined; sessionId: string | undefined }[] = [];
  const recovery = replica.agent.recover({
    intervalMs: INTERVAL,
    onRecovered: (run, result) => void recovered.push(`${run.sessionId}: ${result.text}`),
    onError: (error, run) => void errors.push({ code: (error as SDKError).code, sessionId: run?.sessionId }),
    ...options,
  });
  onTestFinished(() => recovery.stop());
  return { recovery, recovered, errors };
}

describe('pending()', () => {
  it('E1 lists interrupted and paused runs by id, finished ones not', async () => {
    const { store, start } = world();
    await store(paused('b'), interrupted('a'), finished('c'), interrupted('Z'));
    expect(await start().agent.pending()).toEqual([
      { sessionId: 'Z', kind: 'run', checkpointId: 'Z', status: 'in-progress', step: 1 },
      { sessionId: 'a', kind: 'run', checkpointId: 'a', status: 'in-progress', step: 1 },
      {
        sessionId: 'b',
        kind: 'run',
        checkpointId: 'b',
        status: 'awaiting-approval',
        approvalId: 'approval-b',
        step: 1,
      },
    ]);
  });

  it('E1 says the same from list() alone, on a custom store', async () => {
    const { store, start, inner } = world();
    await store(paused('b'), interrupted('a', { attempts: 2 }), finished('c'));
    const { agent } = start({}, { only: ['save', 'load', 'delete', 'list'] });
    expect(await agent.pending()).toEqual(await start().agent.pending());
    expect(inner).toBeDefined();
  });

  it('names a session’s turn by its session, with the key it is stored under', async () => {
    const { store, start } = world();
    await store(interrupted('chat.turn-4'));
    expect(await start().agent.pending()).toMatchObject([
      { sessionId: 'chat', kind: 'session', checkpointId: 'chat.turn-4' },
    ]);
  });

  it('lists more than one page', async () => {
    const { store, start } = world();
    const ids = Array.from({ length: 1_203 }, (_, n) => `run-${String(n).padStart(4, '0')}`);
    await store(...ids.map((id) => interrupted(id)));
    expect((await start().agent.pending()).map((run) => run.sessionId)).toEqual(ids);
  });

  it('E3 lists a record that cannot be read, with the error that send() and resume() fail with; others still work', async () => {
    const { store, start } = world();
    await store(interrupted('broken'), interrupted('fine'));
    const corrupt = new CheckpointCorruptError('broken', 'checkpoint broken: its head is not readable');
    const { agent, provider } = start(
      {},
      {
        around: async (method, args, next) => {
          if (method === 'load' && args[0] === 'broken') throw corrupt;
          const answer = await next();
          if (method !== 'listPending') return answer;
          const lastError = {
            message: corrupt.message,
            code: corrupt.code,
            retryable: false,
            at: '2026-01-01T00:00:00.000Z',
          };
          return (answer as PendingRun[]).map((run) =>
            run.sessionId === 'broken' ? { ...run, lastError } : run,
          );
        },
      },
    );
    expect(await agent.pending()).toMatchObject([
      { sessionId: 'broken', lastError: { code: 'LOUSHO_CHECKPOINT_CORRUPT', retryable: false } },
      { sessionId: 'fine' },
    ]);
    expect(await codeOf(agent.send('Hi', { sessionId: 'broken' }))).toBe('LOUSHO_CHECKPOINT_CORRUPT');
    expect(await codeOf(agent.resume('broken'))).toBe('LOUSHO_CHECKPOINT_CORRUPT');
    expect(provider.calls).toHaveLength(0);
    expect((await agent.resume('fine'))?.text).toBe('Done.');
  });
});

describe('recover()', () => {
  it('E1 E2 E6 finishes the interrupted runs, leaves the paused one, and then nothing is pending but that', async () => {
    const { store, start, a, clock, inner } = world();
    await store(interrupted('one'), interrupted('two'), paused('three'), finished('four'));
    const before = await inner.load('three');
    const replica = start();
    const { recovered, errors } = recovering(replica);
    await clock.advance(0);
    expect(recovered.sort()).toEqual(['one: Done.', 'two: Done.']);
    expect(errors).toEqual([]);
    expect(a.started.sort()).toEqual(['one-a', 'two-a']);
    expect(await inner.load('three')).toEqual(before);
    expect((await replica.agent.pending()).map((run) => run.sessionId)).toEqual(['three']);
    await clock.advance(10 * INTERVAL);
    expect(recovered).toHaveLength(2);
  });

  it('E4 leaves a run alone that would fail the same way; an explicit resume still tries and counts', async () => {
    const { start, clock } = world();
    const provider = mockModel([{ error: Object.assign(new Error('bad request'), { status: 400 }) }], {
      onExhausted: 'repeat-last',
    });
    const replica = start({ provider });
    await rejection(replica.agent.send('Hi', { sessionId: 'one' }));
    const { errors } = recovering(replica);
    await clock.advance(5 * INTERVAL);
    expect(provider.calls).toHaveLength(1);
    expect(errors).toEqual([]);
    expect(await codeOf(replica.agent.resume('one'))).toBe('LOUSHO_PROVIDER_REQUEST_FAILED');
    expect(await replica.agent.pending()).toMatchObject([{ attempts: 2, lastError: { retryable: false } }]);
  });

  it('E5 tries a run again that may succeed later', async () => {
    const { start, clock } = world();
    const overloaded = { error: Object.assign(new Error('overloaded'), { status: 503 }) };
    const provider = mockModel([overloaded, overloaded, 'At last.']);
    const replica = start({ provider });
    await rejection(replica.agent.send('Hi', { sessionId: 'one' }));
    const { errors, recovered } = recovering(replica);
    await clock.advance(3 * INTERVAL);
    expect(errors).toEqual([{ code: 'LOUSHO_PROVIDER_REQUEST_FAILED', sessionId: 'one' }]);
    expect(recovered).toEqual(['one: At last.']);
  });

  it('leaves a run alone for as long as its model asked, whoever recovers it', async () => {
    const { start, clock } = world();
    const slowDown = Object.assign(new Error('slow down'), { status: 429, retryAfterMs: 3 * INTERVAL });
    const provider = mockModel([{ error: slowDown }, 'At last.']);
    const first = start({ provider });
    const at = clock.now();
    await rejection(first.agent.send('Hi', { sessionId: 'one' }));
    const retryAt = new Date(at + 3 * INTERVAL).toISOString();
    expect(await first.agent.pending()).toMatchObject([{ lastError: { retryable: true, retryAt } }]);
    const { recovered } = recovering(start({ provider }));
    await clock.advance(3 * INTERVAL - 1);
    expect(provider.calls).toHaveLength(1);
    await clock.advance(INTERVAL);
    expect(recovered).toEqual(['one: At last.']);
  });

  it('E7 two replicas that recover finish each run once', async () => {
    const { store, start, a, clock } = world();
    const ids = Array.from({ length: 20 }, (_, n) => `run-${n}`);
    await store(...ids.map((id) => interrupted(id)));
    const loops = [recovering(start()), recovering(start()), recovering(start())];
    await clock.advance(3 * INTERVAL);
    expect(loops.flatMap((loop) => loop.recovered).sort()).toEqual(ids.map((id) => `${id}: Done.`).sort());
    expect(loops.flatMap((loop) => loop.errors)).toEqual([]);
    expect(a.started).toHaveLength(20);
  });

  it('E7 two loops of one agent finish each run once', async () => {
    const { store, start, a, clock } = world();
    await store(interrupted('one'));
    const replica = start();
    const loops = [recovering(replica), recovering(replica)];
    await clock.advance(3 * INTERVAL);
    expect(loops.flatMap((loop) => loop.recovered)).toEqual(['one: Done.']);
    expect(a.started).toEqual(['one-a']);
  });

  it('E8 a resume that takes longer than the interval is the only one of its run', async () => {
    const { store, start, clock } = world();
    await store(interrupted('slow'));
    const gate = deferred<string>();
    const a = countingTool('a', () => gate.promise);
    const { recovered } = recovering(start({ tools: [a] }));
    await clock.advance(20 * INTERVAL);
    expect(a.started).toEqual(['slow-a']);
    gate.resolve('ok');
    await until(() => recovered.length === 1);
    await clock.advance(5 * INTERVAL);
    expect(a.started).toEqual(['slow-a']);
  });

  it('E8 other runs are found while a slow one goes on', async () => {
    const { store, start, clock } = world();
    await store(interrupted('slow'));
    const gate = deferred<string>();
    const slow = tool('a', (_, { sessionId }) => (sessionId === 'slow' ? gate.promise : 'fast'));
    const { recovered } = recovering(start({ tools: [slow] }));
    await clock.advance(INTERVAL);
    await store(interrupted('fast'));
    await clock.advance(2 * INTERVAL);
    expect(recovered).toEqual(['fast: Done.']);
    gate.resolve('ok');
    await until(() => recovered.length === 2);
  });

  it('E9 a listing that fails is reported without a run, and the loop goes on', async () => {
    const { store, start, clock } = world();
    await store(interrupted('one'));
    let isDown = true;
    const replica = start(
      {},
      {
        around: (method, _, next) => {
          if (isDown && method === 'listPending') throw new Error('no connection');
          return next();
        },
      },
    );
    const { errors, recovered } = recovering(replica);
    await clock.advance(2 * INTERVAL);
    expect(errors.length).toBeGreaterThanOrEqual(2);
    expect(errors[0]).toEqual({ code: 'LOUSHO_STORAGE_FAILED', sessionId: undefined });
    isDown = false;
    await clock.advance(INTERVAL);
    expect(recovered).toEqual(['one: Done.']);
  });

  it('E9 a resume that fails is reported with its run, and the others go on', async () => {
    const { store, start, clock } = world();
    await store(interrupted('bad'), interrupted('good'));
    const a = tool('a', (_, { sessionId }) => {
      if (sessionId === 'bad') throw new PropagatingToolError('no');
    });
    const { errors, recovered } = recovering(start({ tools: [a] }));
    await clock.advance(0);
    expect(errors).toEqual([{ code: undefined, sessionId: 'bad' }]);
    expect(recovered).toEqual(['good: Done.']);
  });

  it('E9 an onError that throws does not end the loop', async () => {
    const { store, start, clock } = world();
    await store(interrupted('bad'));
    let attempts = 0;
    const a = tool('a', () => {
      if (++attempts < 3) throw new PropagatingToolError('no');
    });
    const { recovered } = recovering(start({ tools: [a] }), {
      onError: () => {
        throw new Error('the listener is broken');
      },
    });
    await clock.advance(4 * INTERVAL);
    expect(recovered).toEqual(['bad: Done.']);
  });

  it('E10 stop() aborts the resume that is going on, its checkpoint stays in progress, and done resolves', async () => {
    const { store, start, clock, inner } = world();
    await store(interrupted('one'));
    const provider = mockModel([{ text: 'never', delayMs: 60_000 }]);
    const replica = start({ provider });
    const { recovery, recovered, errors } = recovering(replica);
    await until(() => provider.calls.length === 1);
    await recovery.stop();
    await recovery.done;
    expect((await inner.load('one'))?.status).toBe('in-progress');
    expect(await inner.readLease('one')).toBeNull();
    expect([recovered, errors]).toEqual([[], []]);
    expect(clock.waiting).toBe(0);
    await clock.advance(10 * INTERVAL);
    expect(provider.calls).toHaveLength(1);
  });

  it.each(['before', 'after'] as const)(
    'a signal that fires %s the start stops the loop like stop()',
    async (when) => {
      const { store, start, clock, a } = world();
      const controller = new AbortController();
      if (when === 'before') {
        controller.abort();
        await store(interrupted('one'));
      }
      const { recovery } = recovering(start(), { signal: controller.signal });
      await clock.advance(INTERVAL);
      controller.abort();
      await recovery.done;
      expect(clock.waiting).toBe(0);
      if (when === 'before') expect(a.started).toEqual([]);
      await recovery.stop();
    },
  );

  it('E11 a run that is running elsewhere is passed over in silence, and finished once it is free', async () => {
    const { store, start, clock, inner, a } = world();
    await store(interrupted('one'));
    await inner.acquireLease('one', 'somebody', 30_000);
    const { errors, recovered } = recovering(start());
    await clock.advance(29_999);
    expect([errors, recovered]).toEqual([[], []]);
    await clock.advance(INTERVAL + 1);
    expect(recovered).toEqual(['one: Done.']);
    expect(a.started).toEqual(['one-a']);
  });

  it('E11 a look costs one listing, and one question about each run that is running elsewhere', async () => {
    const { store, start, clock, inner } = world();
    await store(interrupted('one'), interrupted('two'));
    for (const id of ['one', 'two']) await inner.acquireLease(id, 'somebody', 30_000);
    const replica = start();
    recovering(replica);
    await clock.advance(0);
    expect(replica.store.calls).toEqual(['listPending', 'acquireLease', 'acquireLease']);
  });

  it('a run that is finished or deleted behind the listing is left alone', async () => {
    const { store, start, clock, inner, a } = world();
    await store(interrupted('deleted'), interrupted('finished'));
    const replica = start(
      {},
      {
        around: async (method, _args, next) => {
          const answer = await next();
          if (method !== 'listPending') return answer;
          await inner.delete('deleted');
          await inner.save('finished', finished('finished'));
          return answer;
        },
      },
    );
    const { errors, recovered } = recovering(replica);
    await clock.advance(0);
    expect([errors, recovered, a.started]).toEqual([[], [], []]);
    expect(await inner.load('deleted')).toBe(null);
    expect(await inner.load('finished')).toEqual(finished('finished'));
    expect(await Promise.all(['deleted', 'finished'].map((id) => inner.readLease(id)))).toEqual([null, null]);
  });

  it('E11 a run of this very process is not resumed a second time behind it', async () => {
    const { start, clock } = world();
    const gate = deferred<string>();
    const provider = mockModel([() => gate.promise]);
    const replica = start({ provider });
    const run = replica.agent.send('Hi', { sessionId: 'one' });
    await until(() => provider.calls.length === 1);
    await replica.store.inner.save('one', {
      sessionId: 'one',
      stepIndex: 0,
      messages: [{ role: 'user', content: 'Hi' }],
    });
    const { recovered } = recovering(replica);
    await clock.advance(3 * INTERVAL);
    gate.resolve('Hello.');
    expect((await run).text).toBe('Hello.');
    await clock.advance(3 * INTERVAL);
    expect(recovered).toEqual([]);
    expect(provider.calls).toHaveLength(1);
  });

  it('a crashed run is finished at most one lease and one interval after the crash', async () => {
    const { start, clock, inner } = world();
    const gate = deferred<string>();
    const dead = start({
      provider: mockModel([calls('a')]),
      tools: [tool('a', () => gate.promise)],
    });
    void dead.agent.send('Go', { sessionId: 'one' }).catch(() => undefined);
    await until(() => dead.store.saves.length === 1);
    await clock.advance(10_000);
    dead.timers.stop();
    const { recovered } = recovering(start());
    await clock.advance(30_000 + INTERVAL);
    expect(recovered).toEqual(['one: Done.']);
    expect((await inner.load('one'))?.status).toBe('finished');
  });

  it('E12 a step that was done before the crash does not run again', async () => {
    const { start, clock } = world();
    const charge = countingTool('charge', () => 'charged');
    let attempts = 0;
    const ship = countingTool('ship', () => {
      if (++attempts === 1) throw new PropagatingToolError('process died');
      return 'shipped';
    });
    const provider = mockModel([calls('charge'), calls('ship'), 'Order charged and shipped.']);
    const replica = start({ provider, tools: [charge, ship] });
    await rejection(replica.agent.send('Charge and ship order 7', { sessionId: 'order-7' }));
    const { recovered } = recovering(replica);
    await clock.advance(0);
    expect(recovered).toEqual(['order-7: Order charged and shipped.']);
    expect([charge.started.length, ship.started.length]).toEqual([1, 2]);
  });

  it('E15 an onRecovered that throws is reported with its run, and the loop goes on', async () => {
    const { store, start, clock, inner } = world();
    await store(interrupted('one'), interrupted('two'));
    const { errors } = recovering(start(), {
      onRecovered: async (run) => {
        throw new SDKError('LOUSHO_TEST_FAILED', run.sessionId);
      },
    });
    await until(() => errors.length === 2);
    expect(errors).toEqual([
      { code: 'LOUSHO_TEST_FAILED', sessionId: 'one' },
      { code: 'LOUSHO_TEST_FAILED', sessionId: 'two' },
    ]);
    await store(interrupted('three'));
    await clock.advance(INTERVAL);
    expect((await inner.load('three'))?.status).toBe('finished');
  });

  it('resumes at most `concurrency` runs at a time', async () => {
    const { store, start, clock } = world();
    await store(...Array.from({ length: 9 }, (_, n) => interrupted(`run-${n}`)));
    let [running, most] = [0, 0];
    const a = tool('a', async () => {
      most = Math.max(most, ++running);
      await settled();
      running -= 1;
    });
    const { recovered } = recovering(start({ tools: [a] }), { concurrency: 2 });
    await until(() => recovered.length === 9);
    expect(most).toBe(2);
    await clock.advance(0);
  });

  it('looks every 30 s by default', async () => {
    const { store, start, clock } = world();
    const replica = start();
    const recovery = replica.agent.recover();
    await clock.advance(1);
    await store(interrupted('one'));
    await clock.advance(29_998);
    expect((await replica.agent.pending()).length).toBe(1);
    await clock.advance(1);
    expect(await replica.agent.pending()).toEqual([]);
    await recovery.stop();
  });

  it.each([
    { intervalMs: 0 },
    { intervalMs: -1 },
    { intervalMs: 1.5 },
    { concurrency: 0 },
    { intervalMS: 5 },
  ])('refuses %j', async (options) => {
    const { start } = world();
    const { agent } = start();
    expect(await codeOf((async () => agent.recover(options as never))())).toBe('LOUSHO_CONFIG_INVALID');
  });

  it('close() stops the loops and waits for their resumes', async () => {
    const { store, start, clock, inner } = world();
    await store(interrupted('one'));
    const provider = mockModel([{ text: 'never', delayMs: 60_000 }]);
    const replica = start({ provider });
    const { recovery } = recovering(replica);
    await until(() => provider.calls.length === 1);
    await replica.agent.close();
    await recovery.done;
    expect(clock.waiting).toBe(0);
    expect((await inner.load('one'))?.status).toBe('in-progress');
  });

  it('D13 on a store without leases, one process finishes its interrupted runs', async () => {
    const { store, start, clock } = world();
    await store(interrupted('one'));
    const { recovered } = recovering(start({}, { only: ['save', 'load', 'delete', 'list'] }));
    await clock.advance(0);
    expect(recovered).toEqual(['one: Done.']);
  });

  it('a run whose tool is gone is reported and left as it was', async () => {
    const { store, start, clock, inner } = world();
    await store(interrupted('one'));
    const before = await inner.load('one');
    const { errors } = recovering(start({ tools: [] }));
    await clock.advance(0);
    expect(errors).toEqual([{ code: 'LOUSHO_RESUME_TOOL_MISSING', sessionId: 'one' }]);
    expect(await inner.load('one')).toEqual(before);
  });

  it('the example of the guide works as it is written', async () => {
    const inner = replicas().inner as CheckpointStore;
    const spy = spyStore(inner);
    let isFirst = true;
    const ship = tool('ship', () => {
      if (!isFirst) return 'shipped';
      isFirst = false;
      throw new PropagatingToolError('process died');
    });
    const agent = createAgent({
      provider: mockModel([calls('ship'), 'Shipped.']),
      tools: [ship],
      store: spy,
    });
    await agent.send('Ship order 7', { sessionId: 'order-7' }).catch(() => undefined);
    const texts: string[] = [];
    const recovery = agent.recover({
      intervalMs: 1_000,
      onRecovered: (run, result) => {
        texts.push(`${run.sessionId}: ${result.text}`);
        void recovery.stop();
      },
    });
    await recovery.done;
    expect(texts).toEqual(['order-7: Shipped.']);
  });
});
