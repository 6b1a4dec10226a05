import { copyStore } from '@lousho/core';
import { describe, expect, it } from 'vitest';
import { calls } from '../approval/support/workshop.js';
import { onFullStores } from '../harness/on-stores.js';
import type { FullStore } from '../harness/store-kind.js';
import { type Member, task, team } from '../subagents/support/team.js';

const PAYER: Member = { turns: [calls('pay'), 'Paid.'], gated: ['pay'], durable: true };
const CHIEF: Member = {
  turns: [[task('t2', 'payer')], 'Seen to.'],
  members: { payer: PAYER },
  durable: true,
};
const TURNS = [[task('t1', 'chief')], 'Done.'];
const KEYS = ['s', 's.task-1-0', 's.task-1-0.task-1-0'];
const RECORDS = KEYS.map((id) => `checkpoint ${id}`);

const leadOn = (store: FullStore, effects: string[]) =>
  team({ store, turns: TURNS, maxSubagentDepth: 2, effects, members: { chief: CHIEF } }).lead;

describe('a lead and its durable sub-agents', () => {
  onFullStores((newStorage) => {
    async function pausedOn(effects: string[]) {
      const [from, to] = [newStorage().open(), newStorage().open()];
      const { approvalId: id = '' } = await leadOn(from, effects).send('Go', { sessionId: 's' });
      return { from, to, decision: { id, approved: true } };
    }

    it('are left alone together while somebody holds the lead: it goes on at the source', async () => {
      const effects: string[] = [];
      const { from, to, decision } = await pausedOn(effects);
      await from.checkpoints.acquireLease('s', 'worker-a', 30_000);
      const report = await copyStore(from, to);
      expect(report).toMatchObject({ checkpoints: 0, busy: expect.arrayContaining(RECORDS) });
      expect(await to.checkpoints.ids()).toEqual([]);
      await from.checkpoints.releaseLease('s', 'worker-a');
      expect((await leadOn(from, effects).approvals.resolve(decision)).text).toBe('Done.');
      expect(effects).toEqual(['pay']);
    });

    it('are left alone together while somebody holds one of them', async () => {
      const effects: string[] = [];
      const { from, to, decision } = await pausedOn(effects);
      await from.checkpoints.acquireLease('s.task-1-0.task-1-0', 'worker-a', 30_000);
      expect((await copyStore(from, to)).busy).toEqual(expect.arrayContaining(RECORDS));
      await from.checkpoints.releaseLease('s.task-1-0.task-1-0', 'worker-a');
      expect((await from.checkpoints.load('s'))?.movedAt).toBeUndefined();
      expect((await leadOn(from, effects).approvals.resolve(decision)).text).toBe('Done.');
      expect(effects).toEqual(['pay']);
    });

    it('go on together in the target, and are closed at the source', async () => {
      const effects: string[] = [];
      const { from, to, decision } = await pausedOn(effects);
      expect(await copyStore(from, to)).toMatchObject({ checkpoints: 3, isComplete: true });
      expect(await copyStore(from, to)).toMatchObject({ checkpoints: 0, moved: 3, isComplete: true });
      for (const id of KEYS) expect((await from.checkpoints.load(id))?.movedAt).toBeDefined();
      expect(await from.checkpoints.listPending()).toEqual([]);
      expect((await leadOn(to, effects).approvals.resolve(decision)).text).toBe('Done.');
      expect(effects).toEqual(['pay']);
      expect(await to.checkpoints.ids()).toEqual(['s']);
      // What the target's lead has no use for any more does not come back.
      expect(await copyStore(from, to)).toMatchObject({ checkpoints: 0, isComplete: true });
      expect(await to.checkpoints.ids()).toEqual(['s']);
    });

    it('of which the lead was deleted are copied by themselves, and nothing is said of it', async () => {
      const { from, to } = await pausedOn([]);
      await from.checkpoints.delete('s');
      const told: string[] = [];
      await copyStore(from, to, { onRecord: (record) => void told.push(record) });
      expect(told.filter((record) => record.startsWith('checkpoint')).sort()).toEqual(RECORDS.slice(1));
      expect(await to.checkpoints.ids()).toEqual(KEYS.slice(1));
    });

    it('come back together, and go on there', async () => {
      const effects: string[] = [];
      const { from, to, decision } = await pausedOn(effects);
      await copyStore(from, to);
      expect(await copyStore(to, from)).toMatchObject({ checkpoints: 3, isComplete: true });
      expect((await leadOn(from, effects).approvals.resolve(decision)).text).toBe('Done.');
      expect(effects).toEqual(['pay']);
    });

    it('stay open at the source where it is kept', async () => {
      const effects: string[] = [];
      const { from, to, decision } = await pausedOn(effects);
      expect(await copyStore(from, to, { source: 'keep' })).toMatchObject({ checkpoints: 3 });
      expect((await leadOn(from, effects).approvals.resolve(decision)).text).toBe('Done.');
      expect(effects).toEqual(['pay']);
    });

    it('of which the target’s has gone on stay as they are there', async () => {
      const effects: string[] = [];
      const { from, to, decision } = await pausedOn(effects);
      await copyStore(from, to, { source: 'keep' });
      await leadOn(to, effects).approvals.resolve(decision);
      const report = await copyStore(from, to);
      expect(report.newer).toEqual(expect.arrayContaining(RECORDS));
      expect(await to.checkpoints.ids()).toEqual(['s']);
    });
  });
});
