import { memoryStore } from '@lousho/store-memory';
import { describe, expect, it } from 'vitest';
import { mortal } from '../approval/support/mortal.js';
import { resultOf } from '../approval/support/results.js';
import { calls, type Turn } from '../approval/support/workshop.js';
import { deferred, until } from '../executor/support/deferred.js';
import { onFullStores } from '../harness/on-stores.js';
import { codeOf } from '../support/rejections.js';
import { type Member, task, team, usageOf } from './support/team.js';

const begin = task('t1', 'helper', { background: true });
const about = (tool: string, id: string, taskId = 'task-1-0') => ({ id, tool, args: { taskId } });
const HELPER: Member = { turns: [calls('look'), 'Seen.'], open: ['look'] };

function waiting() {
  const gate = deferred<string>();
  const begun = deferred();
  const look = () => {
    begun.resolve();
    return gate.promise;
  };
  return { gate, begun, helper: { ...HELPER, does: { look } } };
}

describe('a task in the background', () => {
  it('lets the lead go on, and is answered when it is waited for', async () => {
    const { gate, begun, helper } = waiting();
    const { lead } = team({
      turns: [[begin], [about('agent_status', 's1')], calls('open'), [about('agent_await', 'a1')], 'Done.'],
      open: ['open'],
      does: {
        open: async () => {
          await begun.promise;
          gate.resolve('seen');
        },
      },
      members: { helper },
    });
    const result = await lead.send('Go');
    expect(resultOf(result.messages, 't1')).toBe('The task runs in the background. [taskId: task-1-0]');
    expect(resultOf(result.messages, 's1')).toEqual({
      taskId: 'task-1-0',
      agentName: 'helper',
      description: 'helper',
      status: 'running',
    });
    expect(resultOf(result.messages, 'a1')).toBe(
      'Seen.\n\n[steps: 2, finish reason: stop, taskId: task-1-0]',
    );
    expect(result.usage).toEqual(usageOf(7, { runs: 1, modelCalls: 2 }));
    expect(result.backgroundTasks).toEqual([
      { taskId: 'task-1-0', agentName: 'helper', description: 'helper', status: 'finished', text: 'Seen.' },
    ]);
  });

  it('is cancelled when the lead finishes before it, and what it spent is counted', async () => {
    const { begun, helper } = waiting();
    let wasAborted = false;
    const look = (_: unknown, { signal }: { signal: AbortSignal }) => {
      begun.resolve();
      return new Promise((_resolve, reject) =>
        signal.addEventListener('abort', () => {
          wasAborted = true;
          reject(signal.reason);
        }),
      );
    };
    const { lead } = team({
      turns: [[begin], calls('open'), 'Done.'],
      open: ['open'],
      does: { open: () => begun.promise },
      members: { helper: { ...helper, does: { look } } },
    });
    const result = await lead.send('Go');
    expect([result.finishReason, wasAborted]).toEqual(['stop', true]);
    expect(result.backgroundTasks).toMatchObject([{ status: 'cancelled' }]);
    expect(result.usage).toEqual(usageOf(4, { runs: 1, modelCalls: 1 }));
  });

  it('is waited for at the end with awaitBackgroundOnFinish', async () => {
    const { gate, begun, helper } = waiting();
    const { lead } = team({
      turns: [[begin], 'Done.'],
      subagentOptions: { awaitBackgroundOnFinish: true },
      members: { helper },
    });
    const sent = lead.send('Go');
    await begun.promise;
    gate.resolve('seen');
    const result = await sent;
    expect(result.backgroundTasks).toMatchObject([{ status: 'finished', text: 'Seen.' }]);
    expect(result.usage).toEqual(usageOf(4, { runs: 1, modelCalls: 2 }));
  });

  it('does not keep the lead from hearing what is said while it is waited for', async () => {
    const { gate, begun, helper } = waiting();
    const { lead, models } = team({
      turns: [[begin], 'Done.', 'And this.'],
      subagentOptions: { awaitBackgroundOnFinish: true },
      members: { helper },
    });
    const run = lead.stream('Go');
    await begun.promise;
    await until(() => models.lead?.requests.length === 2);
    const { applied } = run.enqueue('One more thing.');
    gate.resolve('seen');
    const result = await run.result;
    expect([await applied, result.text]).toEqual([true, 'And this.']);
    expect(result.backgroundTasks).toMatchObject([{ status: 'finished' }]);
  });

  it('is waited for by one call at a time, and counted once', async () => {
    const { gate, begun, helper } = waiting();
    const { lead, models } = team({
      turns: [[begin], [about('agent_await', 'a1'), about('agent_await', 'a2'), { id: 'open' }], 'Done.'],
      open: ['open'],
      does: { open: () => begun.promise.then(() => gate.resolve('seen')) },
      members: { helper },
    });
    const result = await lead.send('Go');
    expect(resultOf(result.messages, 'a1')).toMatch(/^Seen\./);
    expect(resultOf(result.messages, 'a2')).toMatchObject({
      isError: true,
      message: 'task task-1-0 is waited for by another call',
    });
    expect(result.usage).toEqual(usageOf(5, { runs: 1, modelCalls: 2 }));
    expect(models.helper?.requests).toHaveLength(2);
  });

  it('is stopped by agent_cancel, and stays stopped', async () => {
    const { begun, helper } = waiting();
    const look = (_: unknown, { signal }: { signal: AbortSignal }) => {
      begun.resolve();
      return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    };
    const { lead } = team({
      turns: [
        [begin],
        calls('open'),
        [about('agent_cancel', 'c1')],
        [about('agent_await', 'a1'), about('agent_cancel', 'c2', 'task-9-9')],
        'Done.',
      ],
      open: ['open'],
      does: { open: () => begun.promise },
      members: { helper: { ...helper, does: { look } } },
    });
    const result = await lead.send('Go');
    expect(resultOf(result.messages, 'c1')).toBe('Task task-1-0 is not running any more.');
    expect(resultOf(result.messages, 'a1')).toBe('Task task-1-0 is not running any more.');
    expect(resultOf(result.messages, 'c2')).toMatchObject({
      isError: true,
      message: 'there is no task task-9-9 in the background',
    });
    expect(result.usage).toEqual(usageOf(6, { runs: 1, modelCalls: 1 }));
  });

  it('of at most maxConcurrent tasks, the others wait; 3 by default', async () => {
    for (const maxConcurrent of [undefined, 2]) {
      let [running, most] = [0, 0];
      const gate = deferred();
      const look = async () => {
        most = Math.max(most, ++running);
        await gate.promise;
        running--;
      };
      const { lead } = team({
        turns: [[1, 2, 3, 4, 5].map((n) => task(`t${n}`, 'helper')), 'Done.'],
        ...(maxConcurrent && { subagentOptions: { maxConcurrent } }),
        members: { helper: { ...HELPER, does: { look } } },
      });
      const sent = lead.send('Go');
      await until(() => running === (maxConcurrent ?? 3));
      gate.resolve();
      const result = await sent;
      expect(most).toBe(maxConcurrent ?? 3);
      expect(result.usage).toEqual(usageOf(12, { runs: 5, modelCalls: 10 }));
    }
  });

  it('that throws a PropagatingToolError rejects the lead, also when nobody waits for it', async () => {
    const begun = deferred();
    const life = mortal(memoryStore());
    const look = () => {
      begun.resolve();
      return life.kill();
    };
    const { lead } = team({
      turns: [[begin], calls('open'), 'Done.'],
      open: ['open'],
      does: { open: () => begun.promise },
      members: { helper: { ...HELPER, does: { look } } },
    });
    await expect(lead.send('Go')).rejects.toThrow('the process died here');
  });
});

const GATED: Member = { turns: [calls('pay'), 'Paid.'], gated: ['pay'] };
const WAITING_LEAD: readonly Turn[] = [[begin], [about('agent_await', 'a1')], 'Done.'];

describe.each([false, true])('a task in the background (durable: %s)', (durable) => {
  onFullStores((newStorage) => {
    it('that needs a person pauses the lead when it is waited for', async () => {
      const storage = newStorage();
      const helper = { ...GATED, durable };
      const first = team({ store: storage.open(), turns: WAITING_LEAD, members: { helper } });
      const paused = await first.lead.send('Go', { sessionId: 's' });
      expect(await first.lead.approvals.list()).toMatchObject([
        { id: paused.approvalId, toolName: 'pay', subagentPath: ['helper'] },
      ]);
      const store = storage.open();
      const second = team({ store, turns: WAITING_LEAD, members: { helper } });
      const result = await second.lead.approvals.resolve({ id: paused.approvalId ?? '', approved: true });
      expect([result.text, first.effects, second.effects]).toEqual(['Done.', [], ['pay']]);
      expect(resultOf(result.messages, 'a1')).toMatch(/^Paid\./);
      expect(result.usage).toEqual(usageOf(5, { runs: 1, modelCalls: 2 }));
      expect((await store.checkpoints.list()).map(({ sessionId }) => sessionId)).toEqual(['s']);
    });

    it('G4 that was changed since its lead crashed is noticed before anything goes on', async () => {
      const storage = newStorage();
      const life = mortal(storage.open());
      const begun = deferred();
      const turns = [[begin], calls('open'), [about('agent_await', 'a1')], 'Done.'];
      const look = () => {
        begun.resolve();
        return new Promise<void>((resolve) => setImmediate(resolve));
      };
      const first = team({
        store: life.store,
        turns,
        open: ['open'],
        does: { open: () => begun.promise.then(() => life.kill()) },
        members: { helper: { ...HELPER, durable, does: { look } } },
      });
      await expect(first.lead.send('Go', { sessionId: 's' })).rejects.toThrow();
      const members = { helper: { ...HELPER, durable, instructions: 'Be slow.' } };
      const second = team({ store: storage.open(), turns, open: ['open'], onAgentDrift: 'error', members });
      // One that begins anew has nothing to differ from.
      const code = durable ? 'LOUSHO_AGENT_DRIFT' : 'none';
      expect(await codeOf(second.lead.resume('s'))).toBe(code);
      expect(second.models.lead?.requests.length).toBe(durable ? 0 : 2);
    });

    it('that a crash cut off goes on when it is waited for', async () => {
      const storage = newStorage();
      const life = mortal(storage.open());
      const begun = deferred();
      const effects: string[] = [];
      const turns = [
        [begin],
        calls('open'),
        [about('agent_status', 's1')],
        [about('agent_await', 'a1')],
        'Done.',
      ];
      const helper = { turns: [calls('look'), calls('note'), 'Seen.'], open: ['look', 'note'], durable };
      const first = team({
        store: life.store,
        turns,
        effects,
        open: ['open'],
        does: { open: () => begun.promise.then(() => life.kill()) },
        members: { helper: { ...helper, does: { note: () => void begun.resolve() } } },
      });
      await expect(first.lead.send('Go', { sessionId: 's' })).rejects.toThrow();
      const store = storage.open();
      const second = team({ store, turns, effects, open: ['open'], members: { helper } });
      const result = await second.lead.resume('s');
      expect(resultOf(result?.messages ?? [], 's1')).toMatchObject({ status: 'interrupted' });
      expect(resultOf(result?.messages ?? [], 'a1')).toMatch(/^Seen\./);
      expect(effects.filter((id) => id === 'look')).toHaveLength(durable ? 1 : 2);
      const delegated = result?.usage.delegated;
      expect(delegated).toMatchObject(durable ? { runs: 1, modelCalls: 3 } : { runs: 2, modelCalls: 5 });
      expect((await store.checkpoints.list()).map(({ sessionId }) => sessionId)).toEqual(['s']);
    });
  });
});
