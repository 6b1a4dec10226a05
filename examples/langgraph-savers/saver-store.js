import { emptyCheckpoint, uuid6 } from '@langchain/langgraph-checkpoint';

/**
 * A LangGraph saver as a checkpoint store: a session is a thread, a save is a `put` of a checkpoint with one channel. Nothing is added
 * that a saver does not have: no leases, no fenced saves, no limit of the history, no history that outlives a delete.
 *
 * @param {import('@langchain/langgraph-checkpoint').BaseCheckpointSaver} saver
 * @param {import('@lousho/core').StoreCapabilities} capabilities what its documentation lets one expect
 * @returns {import('@lousho/core').CheckpointStore}
 */
export function saverStore(saver, capabilities) {
  return {
    capabilities,
    save: async (sessionId, run) => {
      // As LangGraph makes its checkpoints: the id orders them, and the step goes into it.
      const checkpoint = { ...emptyCheckpoint(), id: uuid6(run.stepIndex), channel_values: { run } };
      const metadata = { source: 'loop', step: run.stepIndex, parents: {} };
      await saver.put(thread(sessionId), checkpoint, metadata, {});
    },
    load: async (sessionId) => {
      const found = await saver.getTuple(thread(sessionId));
      return found ? runOf(found) : null;
    },
    delete: (sessionId) => saver.deleteThread(sessionId),
    list: async ({ status, after = '', limit } = {}) => {
      const runs = (await latestRuns(saver)).filter(({ sessionId }) => sessionId > after);
      return runs
        .map((checkpoint) => ({ sessionId: checkpoint.sessionId, status: statusOf(checkpoint), checkpoint }))
        .filter((entry) => status === undefined || entry.status === status)
        .slice(0, limit);
    },
    history: async (sessionId, { limit } = {}) => {
      const entries = [];
      for await (const tuple of saver.list(thread(sessionId), { limit })) {
        const checkpoint = runOf(tuple);
        entries.push({
          step: checkpoint.stepIndex,
          savedAt: tuple.checkpoint.ts,
          status: statusOf(checkpoint),
          checkpoint,
        });
      }
      return entries;
    },
  };
}

function thread(sessionId) {
  return { configurable: { thread_id: sessionId, checkpoint_ns: '' } };
}

function runOf({ checkpoint }) {
  return checkpoint.channel_values.run;
}

function statusOf({ status }) {
  return status ?? 'in-progress';
}

/** A saver lists checkpoints, newest first; the first one of each thread is its latest. */
async function latestRuns(saver) {
  const latest = new Map();
  for await (const { config, checkpoint } of saver.list({})) {
    const { thread_id: sessionId } = config.configurable;
    if (!latest.has(sessionId)) latest.set(sessionId, runOf({ checkpoint }));
  }
  return [...latest].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, run]) => run);
}
