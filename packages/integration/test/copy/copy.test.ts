import type { ConformanceHarness } from '@lousho/conformance';
import { type BundledStore, copyStore, encrypted } from '@lousho/core';
import { describe, expect, it } from 'vitest';
import file from '../../src/conformance/file.harness.js';
import memory from '../../src/conformance/memory.harness.js';
import postgres from '../../src/conformance/postgres.harness.js';
import redis from '../../src/conformance/redis.harness.js';
import sqlite from '../../src/conformance/sqlite.harness.js';
import { keys } from '../encryption/support/keys.js';
import { storageOf } from '../encryption/support/storage-of.js';
import { contentsOf, furnish } from './support/furnish.js';

const PAIRS: readonly (readonly [ConformanceHarness, ConformanceHarness])[] = [
  [memory, file],
  [file, sqlite],
  [sqlite, postgres],
  [postgres, redis],
  [redis, memory],
];
const EVERYTHING = { checkpoints: 9, approvals: 4, sessions: 2, busy: [], newer: [], unreadable: [] };

describe.each(PAIRS.map(([from, to]) => [from.name, to.name, from, to] as const))(
  'a copy from %s to %s',
  (_from, _to, source, target) => {
    const open = async () => {
      const [from, to] = [await (await storageOf(source))(), await (await storageOf(target))()];
      return { from: from as BundledStore, to: to as BundledStore };
    };

    it('ends with equal stores, and a second one finds nothing to do', async () => {
      const { from, to } = await open();
      await furnish(from);
      const before = await contentsOf(from);
      const report = await copyStore(from, to, { source: 'keep' });
      expect(report).toMatchObject({
        ...EVERYTHING,
        historyEntries: 24,
        unchanged: 0,
        isComplete: true,
      });
      expect(await contentsOf(to)).toEqual(before);
      expect(await contentsOf(from)).toEqual(before);

      const again = await copyStore(from, to, { source: 'keep' });
      expect(again).toMatchObject({
        checkpoints: 0,
        approvals: 0,
        sessions: 0,
        historyEntries: 0,
        unchanged: 15,
      });
      expect(await contentsOf(to)).toEqual(before);
    });

    it('brings over what came since the one before', async () => {
      const { from, to } = await open();
      await furnish(from);
      await copyStore(from, to, { source: 'keep' });
      const running = await from.checkpoints.load('running');
      await from.checkpoints.save('running', {
        ...(running as NonNullable<typeof running>),
        revision: 4,
        status: 'finished',
      });
      await from.approvals.decide('asked', { id: 'asked', approved: true });
      const report = await copyStore(from, to, { source: 'keep' });
      expect(report).toMatchObject({ checkpoints: 1, historyEntries: 1, approvals: 1, isComplete: true });
      expect(await contentsOf(to)).toEqual(await contentsOf(from));
    });

    it('closes what it copied, and can bring it back', async () => {
      const { from, to } = await open();
      await furnish(from);
      const before = await contentsOf(from);
      expect(await copyStore(from, to)).toMatchObject({ isComplete: true });
      expect(await contentsOf(to)).toEqual(before);
      expect(await from.checkpoints.listPending?.()).toEqual([]);
      expect(await from.approvals.list()).toEqual([]);
      expect(await copyStore(from, to)).toMatchObject({
        checkpoints: 0,
        approvals: 0,
        sessions: 0,
        isComplete: true,
      });
      expect(await contentsOf(to)).toEqual(before);

      expect(await copyStore(to, from)).toMatchObject({ isComplete: true });
      expect((await from.checkpoints.listPending?.())?.map(({ sessionId }) => sessionId)).toEqual([
        'begun-anew',
        'lead',
        'lead.task-1-0',
        'lead.task-1-0.task-3-1',
        'paused',
        'plain',
        'running',
      ]);
      expect((await from.approvals.list()).map(({ id }) => id)).toEqual(['asked', 'without-run']);
      expect(await contentsOf(from)).toEqual(before);
    });

    it('copies into an encrypted store and out of it', async () => {
      const { from, to } = await open();
      await furnish(from);
      const before = await contentsOf(from);
      const sealed = encrypted(to, keys('k1'));
      await copyStore(from, sealed);
      expect(await contentsOf(sealed)).toEqual(before);
    });
  },
);
