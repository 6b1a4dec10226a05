import { type Checkpoint, CheckpointCorruptError, type CheckpointStore } from '../../contract/index.js';
import { taskKey, tasksOfRun } from '../../run/task-key.js';

/** Removes the records of the sub-agents that a run has asked, theirs first: a removal that is cut off can be made again. */
export async function removeTasksOf(store: CheckpointStore, lead: Checkpoint): Promise<void> {
  const { sessionId, messages, runStart = { messageIndex: 0, messageCount: 0 } } = lead;
  for (const taskId of tasksOfRun({ messages, runStart }))
    await removeTask(store, taskKey(sessionId, taskId));
}

/** The same for one sub-agent. */
export async function removeTask(store: CheckpointStore, key: string): Promise<void> {
  const stored = await store.load(key).catch((error: unknown) => {
    // What cannot be read can be removed.
    if (error instanceof CheckpointCorruptError) return undefined;
    throw error;
  });
  if (stored === null) return;
  if (stored) await removeTasksOf(store, stored);
  await store.delete(key);
}
