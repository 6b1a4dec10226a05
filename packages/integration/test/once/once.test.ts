import { AgentExecutor } from '@lousho/core';
import { mockModel } from '@lousho/core/testing';
import { describe, expect, it } from 'vitest';
import { roles } from '../approval/support/results.js';
import { calls } from '../approval/support/workshop.js';
import { deferred } from '../executor/support/deferred.js';
import { newStorageOf, onFullStores } from '../harness/on-stores.js';
import { together } from '../harness/together.js';
import { mortalView } from '../session/support/mortal-view.js';
import { asked, office } from '../session/support/office.js';
import { view } from '../session/support/view.js';
import { codeOf } from '../support/rejections.js';

const JOB = { turns: [calls('a'), 'done', 'again'], open: ['a'] } as const;
const ONCE = { sessionId: 'job-7', ifAbsent: true } as const;

describe('a job that is delivered more than once', () => {
  onFullStores((newStorage) => {
    it('E13 that has finished gives its result again: no model call, no tool, nothing stored', async () => {
      const { open } = newStorage();
      const { start, effects } = office(open, JOB);
      const first = await start().agent.send('Pay', ONCE);
      const [before, history] = [
        await open().checkpoints.load('job-7'),
        await open().checkpoints.history('job-7'),
      ];
      const second = start();
      for (const input of ['Pay', 'Something else', [{ role: 'user' as const, content: 'Pay' }]]) {
        const result = await second.agent.send(input, ONCE);
        expect(result).toMatchObject({
          text: 'done',
          finishReason: 'stop',
          steps: first.steps,
          usage: first.usage,
          runId: first.runId,
        });
        expect(result.messages).toEqual(first.messages);
        expect(result.toolCalls).toEqual(first.toolCalls);
      }
      expect((await second.agent.stream('Pay', ONCE).result).text).toBe('done');
      expect(asked(second)).toBe(0);
      expect(effects).toEqual(['a']);
      expect(await open().checkpoints.load('job-7')).toEqual(before);
      expect(await open().checkpoints.history('job-7')).toEqual(history);
    });

    it('that a crash left half done is finished, and its input is not added', async () => {
      for (let n = 1; n < 40; n++) {
        const { open } = newStorage();
        const { start, effects } = office(open, JOB);
        const dying = mortalView(open(), { before: (_, count) => count === n });
        const first = await start({ store: dying.store })
          .agent.send('Pay', ONCE)
          .catch(() => undefined);
        const second = start();
        expect((await second.agent.send('Pay, I said', ONCE)).text).toBe('done');
        const messages = (await open().checkpoints.load('job-7'))?.messages ?? [];
        expect([n, roles(messages)]).toEqual([n, 'user assistant(a) tool(a) assistant']);
        expect(effects.length).toBeLessThanOrEqual(2);
        if (first) return;
      }
      throw new Error('the job never came to its end');
    });

    it('that waits for a person resolves as it waits, without asking again', async () => {
      const { open } = newStorage();
      const { start, effects } = office(open, { ...JOB, open: [], gated: ['a'] });
      const first = await start().agent.send('Pay', ONCE);
      const before = await open().checkpoints.load('job-7');
      const second = start();
      const again = await second.agent.send('Pay', ONCE);
      expect(again).toMatchObject({ finishReason: 'awaiting-approval', approvalId: first.approvalId });
      expect(again.approvalIds).toEqual(first.approvalIds);
      expect(await second.agent.approvals.list()).toHaveLength(1);
      expect(asked(second)).toBe(0);
      expect(await open().checkpoints.load('job-7')).toEqual(before);
      await second.agent.approvals.resolve({ id: first.approvalId ?? '', approved: true });
      expect((await start().agent.send('Pay', ONCE)).text).toBe('done');
      expect(effects).toEqual(['a']);
    });

    it('while it runs elsewhere is refused with LOUSHO_SESSION_BUSY; in the same process it waits for the result', async () => {
      const { open } = newStorage();
      const { start, effects } = office(open, JOB);
      const gate = deferred<void>();
      const store = view(open());
      const does = { a: () => gate.promise };
      const first = start({ store, does }).agent.send('Pay', ONCE);
      await expect.poll(() => effects.length).toBe(1);
      const elsewhere = start({ store: view(open()) });
      expect(await codeOf(elsewhere.agent.send('Pay', ONCE))).toBe('LOUSHO_SESSION_BUSY');
      expect(asked(elsewhere)).toBe(0);
      const here = start({ store, does }).agent.send('Pay', ONCE);
      gate.resolve();
      expect((await first).text).toBe('done');
      expect((await here).text).toBe('done');
      expect(effects).toEqual(['a']);
    });

    it('32 deliveries at once from clients of their own run one job', async () => {
      const { open } = newStorage();
      const { start, effects } = office(open, JOB);
      const processes = Array.from({ length: 32 }, () => start({ store: view(open()) }));
      const outcomes = await together(
        open(),
        processes.map(
          ({ agent }) =>
            () =>
              codeOf(agent.send('Pay', ONCE)),
        ),
      );
      expect(outcomes.filter((outcome) => outcome === 'none').length).toBeGreaterThan(0);
      for (const outcome of outcomes) expect(['none', 'LOUSHO_SESSION_BUSY']).toContain(outcome);
      expect(effects).toEqual(['a']);
      expect(asked(...processes)).toBe(2);
      expect(roles((await open().checkpoints.load('job-7'))?.messages ?? [])).toBe(
        'user assistant(a) tool(a) assistant',
      );
    });

    it('that failed is tried again by the next delivery', async () => {
      const { open } = newStorage();
      const { start } = office(open, JOB);
      await start({ turns: [calls('a'), new Error('socket hang up')] })
        .agent.send('Pay', ONCE)
        .catch(() => undefined);
      expect((await start().agent.send('Pay', ONCE)).text).toBe('done');
    });

    it('without ifAbsent the same input after the end is the next turn', async () => {
      const { open } = newStorage();
      const { start } = office(open, JOB);
      await start().agent.send('Pay', ONCE);
      expect((await start().agent.send('Pay', { sessionId: 'job-7' })).text).toBe('again');
      const { agent, model } = start();
      expect((await agent.send('Pay', ONCE)).text).toBe('again');
      expect(model.requests).toEqual([]);
    });
  });

  it('on the executor too', async () => {
    const { open } = newStorageOf('memory');
    const provider = mockModel(['done']);
    const options = {
      agent: { name: 'job' },
      provider,
      input: 'Pay',
      checkpointStore: open().checkpoints,
      ...ONCE,
    };
    expect((await AgentExecutor.execute(options)).text).toBe('done');
    expect((await AgentExecutor.execute(options)).text).toBe('done');
    expect(provider.calls).toHaveLength(1);
  });

  it('ifAbsent needs an id to be about, and is a boolean', async () => {
    const { open } = newStorageOf('memory');
    const { agent } = office(open, JOB).start();
    expect(await codeOf(agent.send('Pay', { ifAbsent: true }))).toBe('LOUSHO_CONFIG_INVALID');
    expect(await codeOf(agent.send('Pay', { sessionId: 'x', ifAbsent: 1 as never }))).toBe(
      'LOUSHO_CONFIG_INVALID',
    );
    expect(await codeOf(agent.send([], { sessionId: 'x', ifAbsent: true }))).toBe(
      'LOUSHO_CONFIG_MISSING_INPUT',
    );
  });
});
