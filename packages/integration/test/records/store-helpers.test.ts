import { checkpoint } from '@lousho/conformance';
import { type CheckpointStore, createAgent, getCheckpointHistory, listCheckpoints } from '@lousho/core';
import { mockModel } from '@lousho/core/testing';
import { memoryStore } from '@lousho/store-memory';
import { describe, expect, it } from 'vitest';

const entry = (sessionId: string, status?: 'in-progress' | 'awaiting-approval' | 'finished') => ({
  sessionId,
  checkpoint: checkpoint({ sessionId, ...(status && { status }) }),
});

describe('getCheckpointHistory', () => {
  it('gives the kept saves, newest first, at most so many', async () => {
    const { checkpoints } = memoryStore({ historyLimit: 20 });
    for (const revision of [1, 2, 3])
      await checkpoints.save('a', checkpoint({ sessionId: 'a', stepIndex: revision, revision }));
    const all = await getCheckpointHistory(checkpoints, 'a');
    expect(all?.map(({ step }) => step)).toEqual([3, 2, 1]);
    expect(await getCheckpointHistory(checkpoints, 'a', { limit: 2 })).toEqual(all?.slice(0, 2));
  });

  it('C1 gives nothing for an id that was never saved, and undefined where no history is kept', async () => {
    const { checkpoints } = memoryStore();
    expect(await getCheckpointHistory(checkpoints, 'never')).toEqual([]);
    const three: CheckpointStore = {
      save: async () => undefined,
      load: async () => null,
      delete: async () => undefined,
    };
    expect(await getCheckpointHistory(three, 'a')).toBeUndefined();
  });
});

describe('listCheckpoints', () => {
  const entries = [
    entry('b', 'finished'),
    entry('a'),
    entry('B', 'awaiting-approval'),
    entry('c', 'finished'),
  ];
  const ids = (filter?: Parameters<typeof listCheckpoints>[1]) =>
    listCheckpoints(entries, filter).map(({ sessionId }) => sessionId);

  it('puts entries in code-point order, and says of one without a status that it is in progress', () => {
    expect(ids()).toEqual(['B', 'a', 'b', 'c']);
    expect(listCheckpoints(entries)[1]).toEqual({
      sessionId: 'a',
      status: 'in-progress',
      checkpoint: entry('a').checkpoint,
    });
  });

  it('filters by status, and by page', () => {
    expect(ids({ status: 'finished' })).toEqual(['b', 'c']);
    expect(ids({ status: 'in-progress' })).toEqual(['a']);
    expect(ids({ after: 'B', limit: 2 })).toEqual(['a', 'b']);
  });

  it('refuses what is no filter', () => {
    for (const filter of [{ status: 'done' }, { limit: 0.5 }, { after: 1 }])
      expect(() => listCheckpoints(entries, filter as never)).toThrow(
        expect.objectContaining({ code: 'LOUSHO_CONFIG_INVALID' }),
      );
  });

  it('is all that a store of one’s own needs for pending()', async () => {
    const kept = new Map<string, ReturnType<typeof checkpoint>>();
    const own: CheckpointStore = {
      save: async (id, saved) => void kept.set(id, saved),
      load: async (id) => kept.get(id) ?? null,
      delete: async (id) => void kept.delete(id),
      list: async (filter) =>
        listCheckpoints(
          [...kept].map(([sessionId, saved]) => ({ sessionId, checkpoint: saved })),
          filter,
        ),
    };
    await own.save('b', entry('b', 'in-progress').checkpoint);
    await own.save('a', entry('a', 'finished').checkpoint);
    const agent = createAgent({ provider: mockModel([]), store: { checkpoints: own } });
    expect(await agent.pending()).toMatchObject([{ sessionId: 'b', status: 'in-progress' }]);
  });
});
