import { approval, type ConformanceHarness, checkpoint, ID } from '@lousho/conformance';
import { type AgentStore, type BundledStore, type CheckpointStore, createAgent } from '@lousho/core';
import { mockModel } from '@lousho/core/testing';
import { describe, expect, it } from 'vitest';
import { encryptedHarness } from '../../src/conformance/encrypted.harness.js';
import file from '../../src/conformance/file.harness.js';
import memory from '../../src/conformance/memory.harness.js';
import postgres from '../../src/conformance/postgres.harness.js';
import redis from '../../src/conformance/redis.harness.js';
import sqlite from '../../src/conformance/sqlite.harness.js';
import webStorage from '../../src/conformance/web-storage.harness.js';
import { storageOf } from '../encryption/support/storage-of.js';

const refused = { code: 'LOUSHO_STORAGE_INCOMPATIBLE' };
const WHOLE: readonly ConformanceHarness[] = [
  memory,
  file,
  sqlite,
  postgres,
  redis,
  encryptedHarness(sqlite),
];
const newer = checkpoint({ revision: 1, status: 'in-progress', format: 2 });

describe.each([...WHOLE, webStorage].map((harness) => [harness.name, harness] as const))(
  'a checkpoint of a newer format in %s',
  (_, harness) => {
    it('is refused, is listed with the reason, and is left as it is', async () => {
      const store = await (await storageOf(harness))();
      await store.checkpoints.save(ID, newer);
      await store.checkpoints.save('other', checkpoint({ sessionId: 'other', format: 1 }));
      const { written, watched } = watching(store);
      const provider = mockModel(['Done.']);
      const agent = createAgent({ provider, store: watched });
      await expect(agent.send('Go on', { sessionId: ID })).rejects.toMatchObject(refused);
      await expect(agent.resume(ID)).rejects.toMatchObject(refused);
      await expect(agent.fork(ID, { fromStep: 1 })).rejects.toMatchObject(refused);
      expect(provider.calls).toEqual([]);
      expect(written).toEqual([]);

      const listed = (await store.checkpoints.list?.()) ?? [];
      expect(listed.map(({ sessionId }) => sessionId)).toEqual(['other', ID]);
      expect(listed[1]).toMatchObject({
        status: 'in-progress',
        checkpoint: { lastError: { ...refused, retryable: false } },
      });
      await expect(store.checkpoints.load(ID)).rejects.toMatchObject(refused);
    });
  },
);

describe.each(WHOLE.map((harness) => [harness.name, harness] as const))('in %s', (_, harness) => {
  it('a run of a newer format is not pruned', async () => {
    const store = (await (await storageOf(harness))()) as BundledStore;
    await store.checkpoints.save(ID, newer);
    expect(await store.prune({ olderThanMs: 0 })).toMatchObject({ checkpoints: 0 });
    await expect(store.checkpoints.load(ID)).rejects.toMatchObject(refused);
  });

  it('an approval whose frozen run has a newer format is refused, and stays undecided', async () => {
    const store = (await (await storageOf(harness))()) as BundledStore;
    await store.approvals.save(approval(), { run: { sessionId: ID, stepIndex: 1, format: 2 } });
    const agent = createAgent({ provider: mockModel([]), store });
    await expect(agent.approvals.resolve({ id: 'approval-1', approved: true })).rejects.toMatchObject(
      refused,
    );
    expect((await store.approvals.list()).map(({ id }) => id)).toEqual(['approval-1']);
  });
});

/** The store, and the names of the calls that change a checkpoint. */
function watching(store: AgentStore): { readonly written: string[]; readonly watched: AgentStore } {
  const written: string[] = [];
  const checkpoints = new Proxy(store.checkpoints as CheckpointStore, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== 'function') return value;
      if (['save', 'saveIfLeased', 'delete'].includes(String(name))) {
        return (...args: readonly unknown[]) => {
          written.push(String(name));
          return value.apply(target, args);
        };
      }
      return value.bind(target);
    },
  });
  const { approvals, sessions } = store;
  return {
    written,
    watched: { checkpoints, ...(approvals && { approvals }), ...(sessions && { sessions }) },
  };
}
