import { assertRunId, type Checkpoint, isStoreKey } from '@lousho/core/contract';
import { describe, expect, it } from 'vitest';
import { mortal } from '../approval/support/mortal.js';
import { resultOf } from '../approval/support/results.js';
import { calls } from '../approval/support/workshop.js';
import { deferred } from '../executor/support/deferred.js';
import { onFullStores } from '../harness/on-stores.js';
import type { FullStore } from '../harness/store-kind.js';
import { codeOf } from '../support/rejections.js';
import { type Member, task, team, usageOf } from './support/team.js';

const HELPER: Member = {
  turns: [calls('look'), calls('note'), 'Seen.'],
  open: ['look', 'note'],
  durable: true,
};
const TURNS = [[task('t1', 'helper')], 'Done.'];
const YEAR_MS = 365 * 86_400_000;

describe('a durable sub-agent', () => {
  onFullStores((newStorage) => {
    /** A lead whose process has died while its sub-agent ran `note`. */
    async function interrupted(effects: string[] = []) {
      const storage = newStorage();
      const life = mortal(storage.open());
      const members = { helper: { ...HELPER, does: { note: () => life.kill() } } };
      const { lead } = team({ store: life.store, turns: TURNS, effects, members });
      await expect(lead.send('Go', { sessionId: 's' })).rejects.toThrow();
      return storage;
    }

    it('is resumed where it stood by whoever resumes its lead; nothing that it saved is made again', async () => {
      const effects: string[] = [];
      const store = (await interrupted(effects)).open();
      const { lead, models } = team({ store, turns: TURNS, effects, members: { helper: HELPER } });
      const result = await lead.resume('s');
      expect(resultOf(result?.messages ?? [], 't1')).toMatch(/^Seen\.\n\n\[steps: 3,/);
      expect(effects).toEqual(['look', 'note', 'note']);
      expect(models.helper?.requests).toHaveLength(1);
      expect(result?.usage).toEqual(usageOf(5, { runs: 1, modelCalls: 3 }));
    });

    it('has its record under an id that no run can have, until the lead has its result', async () => {
      const store = (await interrupted()).open();
      expect(await idsOf(store)).toEqual(['s', 's.task-1-0']);
      expect(await store.checkpoints.load('s.task-1-0')).toMatchObject({
        status: 'in-progress',
        delegatedBy: {
          sessionId: 's',
          runId: (await store.checkpoints.load('s'))?.runId,
          agentName: 'helper',
        },
      });
      expect(isStoreKey('s.task-1-0')).toBe(true);
      expect(() => assertRunId('s.task-1-0')).toThrow(/reserved endings/);
      const { lead } = team({ store, turns: TURNS, members: { helper: HELPER } });
      expect(await codeOf(lead.resume('s.task-1-0'))).toBe('LOUSHO_SESSION_ID_INVALID');
      await lead.resume('s');
      expect(await idsOf(store)).toEqual(['s']);
      expect(await store.checkpoints.history('s.task-1-0')).toEqual([]);
    });

    it('that has finished is not pruned, however old, while its lead has not taken the answer', async () => {
      const storage = newStorage();
      const life = mortal(storage.open(), {
        after: (name, [id, checkpoint]) =>
          name === 'checkpoints.saveIfLeased' &&
          id === 's.task-1-0' &&
          (checkpoint as Checkpoint).finishReason === 'stop',
      });
      const effects: string[] = [];
      const first = team({ store: life.store, turns: TURNS, effects, members: { helper: HELPER } });
      await expect(first.lead.send('Go', { sessionId: 's' })).rejects.toThrow();
      storage.clock.advance(2 * YEAR_MS);
      const store = storage.open();
      expect((await store.prune({ olderThanMs: YEAR_MS })).checkpoints).toBe(0);
      const { lead, models } = team({ store, turns: TURNS, effects, members: { helper: HELPER } });
      const result = await lead.resume('s');
      expect(resultOf(result?.messages ?? [], 't1')).toMatch(/^Seen\.\n\n\[steps: 3,/);
      expect([effects, models.helper?.requests]).toEqual([['look', 'note'], []]);
      expect(result?.usage).toEqual(usageOf(5, { runs: 1, modelCalls: 3 }));
      expect(await idsOf(store)).toEqual(['s']);
    });

    it('is not pending by itself, and recover() finishes it with its lead', async () => {
      const store = (await interrupted()).open();
      const { lead } = team({ store, turns: TURNS, members: { helper: HELPER } });
      expect(await lead.pending()).toMatchObject([{ sessionId: 's', status: 'in-progress' }]);
      const recovered = deferred<string>();
      const recovery = lead.recover({ onRecovered: (run) => recovered.resolve(run.sessionId) });
      expect(await recovered.promise).toBe('s');
      await recovery.stop();
      expect(await idsOf(store)).toEqual(['s']);
    });

    it('whose record somebody else holds keeps its lead from going on, with LOUSHO_SESSION_BUSY', async () => {
      const store = (await interrupted()).open();
      // Beyond the lease of the process that died, for which whoever comes may have to wait.
      await store.checkpoints.acquireLease('s.task-1-0', 'somebody', 300_000);
      const { lead, models } = team({ store, turns: TURNS, members: { helper: HELPER } });
      expect(await codeOf(lead.resume('s'))).toBe('LOUSHO_SESSION_BUSY');
      expect(models.helper?.requests).toEqual([]);
      expect(await lead.pending()).toMatchObject([{ sessionId: 's', status: 'in-progress' }]);
      await store.checkpoints.releaseLease('s.task-1-0', 'somebody');
      expect((await lead.resume('s'))?.text).toBe('Done.');
    });

    it('does not take over what a former life of its lead’s session has left behind', async () => {
      const store = (await interrupted()).open();
      await store.checkpoints.delete('s');
      const { lead, models } = team({ store, turns: TURNS, members: { helper: HELPER } });
      const result = await lead.send('Go', { sessionId: 's' });
      expect(models.helper?.requests).toHaveLength(3);
      expect(result.usage).toEqual(usageOf(5, { runs: 1, modelCalls: 3 }));
      expect(await idsOf(store)).toEqual(['s']);
    });

    it('whose model fails for now rejects its lead, and goes on where it stood', async () => {
      const store = newStorage().open();
      const failing = { ...HELPER, turns: [calls('look'), new Error('overloaded')] };
      const effects: string[] = [];
      const first = team({ store, turns: TURNS, effects, members: { helper: failing } });
      expect(await codeOf(first.lead.send('Go', { sessionId: 's' }))).toBe('LOUSHO_PROVIDER_REQUEST_FAILED');
      expect(await first.lead.pending()).toMatchObject([{ sessionId: 's', lastError: { retryable: true } }]);
      const { lead, models } = team({ store, turns: TURNS, effects, members: { helper: HELPER } });
      expect((await lead.resume('s'))?.text).toBe('Done.');
      expect([effects, models.helper?.requests.length]).toEqual([['look', 'note'], 2]);
    });

    it('whose model fails for good is the lead’s to deal with', async () => {
      const store = newStorage().open();
      const failing = { ...HELPER, turns: [calls('look'), Object.assign(new Error('no'), { status: 400 })] };
      const { lead } = team({ store, turns: TURNS, members: { helper: failing } });
      const result = await lead.send('Go', { sessionId: 's' });
      expect(resultOf(result.messages, 't1')).toMatchObject({
        isError: true,
        message: 'provider scripted: no',
      });
      expect(result.usage).toEqual(usageOf(3, { runs: 1, modelCalls: 1 }));
      expect(await idsOf(store)).toEqual(['s']);
    });

    it('is removed when its lead is aborted', async () => {
      const store = newStorage().open();
      const begun = deferred();
      const controller = new AbortController();
      const note = () => {
        begun.resolve();
        controller.abort();
      };
      const { lead } = team({ store, turns: TURNS, members: { helper: { ...HELPER, does: { note } } } });
      const result = await lead.send('Go', { sessionId: 's', signal: controller.signal });
      expect(result.finishReason).toBe('aborted');
      expect(await idsOf(store)).toEqual(['s']);
      expect(result.usage).toEqual(usageOf(3, { runs: 1, modelCalls: 2 }));
    });

    it('that waits is removed when the decided lead is aborted before it goes on', async () => {
      const store = newStorage().open();
      const payer: Member = { turns: [calls('pay'), 'Paid.'], gated: ['pay'], durable: true };
      const turns = [[task('t1', 'payer')], 'Done.'];
      const life = mortal(store, { after: (name) => name === 'approvals.decide' });
      const first = team({ store: life.store, turns, members: { payer } });
      const paused = await first.lead.send('Go', { sessionId: 's' });
      await expect(
        first.lead.approvals.resolve({ id: paused.approvalId ?? '', approved: true }),
      ).rejects.toThrow();
      const { lead, effects } = team({ store, turns, members: { payer } });
      const result = await lead.send([], { sessionId: 's', signal: AbortSignal.abort() });
      expect([result.finishReason, effects]).toEqual(['aborted', []]);
      expect(resultOf(result.messages, 't1')).toMatchObject({ kind: 'not-run' });
      expect(await idsOf(store)).toEqual(['s']);
    });

    it('of a session’s turn is dropped with the turn', async () => {
      const store = newStorage().open();
      const payer: Member = { turns: [calls('pay'), 'Paid.'], gated: ['pay'], durable: true };
      const { lead } = team({ store, turns: [[task('t1', 'payer')], 'Done.'], members: { payer } });
      const session = lead.session({ id: 'chat' });
      await session.send('Go');
      expect(await idsOf(store)).toEqual(['chat.paused', 'chat.turn-0', 'chat.turn-0.task-1-0']);
      await session.discardPending();
      expect(await idsOf(store)).toEqual([]);
      expect(await lead.approvals.list()).toEqual([]);
    });

    it('and a sub-agent of its own leave nothing behind when their lead is aborted or its turn is dropped', async () => {
      for (const end of ['abort', 'discard'] as const) {
        const store = newStorage().open();
        const begun = deferred();
        const controller = new AbortController();
        const life = mortal(store);
        const look = () => {
          begun.resolve();
          if (end === 'abort') controller.abort();
          else life.kill();
        };
        const { lead } = team({
          store: life.store.sessions ? life.store : { ...life.store, sessions: store.sessions },
          maxSubagentDepth: 2,
          turns: [[task('t1', 'chief')], 'Done.'],
          members: {
            chief: {
              turns: [[task('t2', 'helper')], 'Chief is done.'],
              members: { helper: { ...HELPER, does: { look } } },
              durable: true,
            },
          },
        });
        if (end === 'abort') {
          await lead.send('Go', { sessionId: 's', signal: controller.signal });
          expect(await idsOf(store)).toEqual(['s']);
          continue;
        }
        await expect(lead.session({ id: 'chat' }).send('Go')).rejects.toThrow();
        const left = ['chat.turn-0', 'chat.turn-0.task-1-0', 'chat.turn-0.task-1-0.task-1-0'];
        expect(await idsOf(store)).toEqual(left);
        const fresh = team({ store, turns: [], members: { helper: HELPER } });
        await fresh.lead.session({ id: 'chat' }).discardPending();
        expect(await idsOf(store)).toEqual([]);
      }
    });

    it('without a session id of its lead runs as any other', async () => {
      const store = newStorage().open();
      const { lead } = team({ store, turns: TURNS, members: { helper: HELPER } });
      expect((await lead.send('Go')).usage).toEqual(usageOf(5, { runs: 1, modelCalls: 3 }));
      expect(await idsOf(store)).toEqual([]);
    });

    it('G8 that is dynamic is asked with its lead’s metadata, and goes on with the model that was chosen', async () => {
      const storage = newStorage();
      const life = mortal(storage.open());
      const asked: unknown[] = [];
      const helper = (chosen: string): Member => ({
        ...HELPER,
        modelName: ({ input, metadata }) => {
          asked.push([input, metadata]);
          return chosen;
        },
      });
      const dying = { ...helper('large'), does: { note: () => life.kill() } };
      const first = team({ store: life.store, turns: TURNS, members: { helper: dying } });
      const metadata = { plan: 'pro' };
      await expect(first.lead.send('Go', { sessionId: 's', metadata })).rejects.toThrow();
      const members = { helper: helper('small') };
      const { lead, models } = team({ store: storage.open(), onAgentDrift: 'error', turns: TURNS, members });
      expect((await lead.resume('s'))?.text).toBe('Done.');
      expect(asked).toEqual([['Do helper', metadata]]);
      expect(models.helper?.requests[0]?.model).toBe('large');
    });

    it('G4 that was changed since is not resumed under onAgentDrift error; the records stay as they were', async () => {
      const store = (await interrupted()).open();
      const before = [await store.checkpoints.load('s'), await store.checkpoints.load('s.task-1-0')];
      const { lead, models } = team({
        store,
        turns: TURNS,
        onAgentDrift: 'error',
        members: { helper: { ...HELPER, instructions: 'Be slow.' } },
      });
      expect(await codeOf(lead.resume('s'))).toBe('LOUSHO_AGENT_DRIFT');
      expect(models.helper?.requests).toEqual([]);
      expect([await store.checkpoints.load('s'), await store.checkpoints.load('s.task-1-0')]).toEqual(before);
    });

    it('that is not a sub-agent any more keeps the lead from going on, with LOUSHO_RESUME_TOOL_MISSING', async () => {
      const store = newStorage().open();
      const payer: Member = { turns: [calls('pay'), 'Paid.'], gated: ['pay'] };
      const first = team({ store, turns: [[task('t1', 'payer')], 'Done.'], members: { payer } });
      const paused = await first.lead.send('Go', { sessionId: 's' });
      const { lead } = team({ store, turns: ['Done.'], members: { helper: HELPER } });
      const decision = { id: paused.approvalId ?? '', approved: true };
      expect(await codeOf(lead.approvals.resolve(decision))).toBe('LOUSHO_RESUME_TOOL_MISSING');
      expect((await first.lead.approvals.resolve(decision)).text).toBe('Done.');
    });
  });
});

async function idsOf(store: FullStore): Promise<string[]> {
  return (await store.checkpoints.list()).map(({ sessionId }) => sessionId);
}
