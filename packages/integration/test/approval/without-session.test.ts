import { describe, expect, it } from 'vitest';
import { onFullStores } from '../harness/on-stores.js';
import { together } from '../harness/together.js';
import { codeOf } from '../support/rejections.js';
import { resultOf, roles } from './support/results.js';
import { calls, workshop } from './support/workshop.js';

describe('approvals of a run without a session id', () => {
  onFullStores((newStorage) => {
    it('go on from the snapshot, in a process that knows nothing else', async () => {
      const { open } = newStorage();
      const options = {
        turns: [calls('a', 'b'), 'done'],
        gated: ['b'],
        open: ['a'],
        instructions: 'Be brief.',
      };
      const first = workshop({ ...options, store: open() });
      const paused = await first.agent.send('Go', { businessState: { cart: 3 } });
      expect(paused.finishReason).toBe('awaiting-approval');
      const second = workshop({ ...options, store: open() });
      const [listed] = await second.agent.approvals.list();
      expect(listed?.sessionId).toBeUndefined();
      const done = await second.agent.approvals.resolve({ id: listed?.id as string, approved: true });
      expect(done).toMatchObject({ finishReason: 'stop', text: 'done', steps: 2, usage: { modelCalls: 2 } });
      expect(roles(done.messages)).toBe('system user assistant(a,b) tool(a) tool(b) assistant');
      expect([first.effects, second.effects]).toEqual([['a'], ['b']]);
      expect(await codeOf(second.agent.approvals.resolve({ id: listed?.id as string, approved: true }))).toBe(
        'LOUSHO_APPROVAL_NOT_FOUND',
      );
    });

    it('of two decisions about one call at once exactly one counts', async () => {
      const { open } = newStorage();
      const effects: string[] = [];
      const options = { turns: [calls('b'), 'done'], gated: ['b'], effects };
      for (let round = 0; round < 5; round++) {
        effects.length = 0;
        const { approvalId = '' } = await workshop({ ...options, store: open() }).agent.send('Go');
        const codes = await together(
          open(),
          [open(), open(), open()].map(
            (store) => () =>
              codeOf(
                workshop({ ...options, store }).agent.approvals.resolve({ id: approvalId, approved: true }),
              ),
          ),
        );
        expect(codes.toSorted()).toEqual(['LOUSHO_APPROVAL_NOT_FOUND', 'LOUSHO_APPROVAL_NOT_FOUND', 'none']);
        expect(effects).toEqual(['b']);
      }
    });

    it('two people decide the two calls of a pause at once: one of them goes on with the run, each call runs once', async () => {
      const { open } = newStorage();
      const effects: string[] = [];
      const options = { turns: [calls('b', 'c'), 'done'], gated: ['b', 'c'], effects };
      for (let round = 0; round < 8; round++) {
        effects.length = 0;
        const { approvalIds = [] } = await workshop({ ...options, store: open() }).agent.send('Go');
        const results = await together(
          open(),
          approvalIds.map(
            (id) => () =>
              workshop({ ...options, store: open() }).agent.approvals.resolve({ id, approved: true }),
          ),
        );
        expect(results.filter(({ finishReason }) => finishReason === 'stop')).toHaveLength(1);
        expect(effects.toSorted()).toEqual(['b', 'c']);
        expect(await workshop({ ...options, store: open() }).agent.approvals.list()).toEqual([]);
      }
    });

    it('what the SDK notes for itself is no approval to anybody', async () => {
      const store = newStorage().open();
      const { agent, effects } = workshop({ store, turns: [calls('b', 'c'), 'done'], gated: ['b', 'c'] });
      const { approvalIds = [] } = await agent.send('Go');
      const [first = ''] = approvalIds;
      const record = await store.approvals.load(first);
      if (!record) throw new Error('no record');
      // As a decider leaves it that died right after it had put it.
      await store.approvals.save({ ...record.approval, id: `${first}.go` }, {});
      expect((await agent.approvals.list()).map(({ id }) => id).toSorted()).toEqual(approvalIds.toSorted());
      expect(await agent.approvals.get(`${first}.go`)).toBeUndefined();
      expect(await codeOf(agent.approvals.resolve({ id: `${first}.go`, approved: true }))).toBe(
        'LOUSHO_APPROVAL_NOT_FOUND',
      );
      for (const id of approvalIds) await agent.approvals.resolve({ id, approved: true });
      expect(effects).toEqual(['b', 'c']);
    });

    it('may pause again, as often as needed', async () => {
      const store = newStorage().open();
      const turns = [calls('b'), calls('c', 'b2'), 'done'];
      const { agent, effects } = workshop({ store, turns, gated: ['b', 'c', 'b2'] });
      let result = await agent.send('Go');
      const ids = new Set<string>();
      while (result.finishReason === 'awaiting-approval') {
        const id = result.approvalId as string;
        expect(ids.has(id)).toBe(false);
        ids.add(id);
        result = await agent.approvals.resolve({ id, approved: ids.size !== 2, note: 'no' });
      }
      expect(effects).toEqual(['b', 'b2']);
      expect(resultOf(result.messages, 'c')).toMatchObject({ kind: 'rejected', note: 'no' });
      expect(result.finishReason).toBe('stop');
    });

    it('goes on only for the principal that it began for', async () => {
      const store = newStorage().open();
      const { agent, effects } = workshop({ store, turns: [calls('b'), 'done'], gated: ['b'] });
      const { approvalId = '' } = await agent.send('Go', { principal: { user: 'ana' } });
      const decision = { id: approvalId, approved: true };
      expect(await codeOf(agent.approvals.resolve(decision, { principal: { user: 'bo' } }))).toBe(
        'LOUSHO_CONFIG_INVALID',
      );
      expect(effects).toEqual([]);
      expect(await agent.approvals.list()).toHaveLength(1);
      await agent.approvals.resolve(decision, { principal: { user: 'ana' } });
      expect(effects).toEqual(['b']);
    });

    it('with a tool that is gone the approval stays pending', async () => {
      const store = newStorage().open();
      const turns = [calls('b'), 'done'];
      const { approvalId = '' } = await workshop({ store, turns, gated: ['b'] }).agent.send('Go');
      const without = workshop({ store, turns, gated: ['other'] });
      expect(await codeOf(without.agent.approvals.resolve({ id: approvalId, approved: true }))).toBe(
        'LOUSHO_RESUME_TOOL_MISSING',
      );
      expect(await without.agent.approvals.list()).toHaveLength(1);
      const { agent, effects } = workshop({ store, turns, gated: ['b'] });
      await agent.approvals.resolve({ id: approvalId, approved: true });
      expect(effects).toEqual(['b']);
    });
  });
});
