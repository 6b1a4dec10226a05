import { type Checkpoint, type CheckpointStore, decode, encode } from '@lousho/core';

/** A session as it is stored, latest save and history, as text that can be compared. */
export interface Chain {
  readonly latest: string;
  readonly history: readonly string[];
  /** Who made the stored tool results, in their order. */
  readonly toolsBy: readonly number[];
}

export async function readChain(checkpoints: CheckpointStore, sessionId: string): Promise<Chain> {
  const latest = await checkpoints.load(sessionId);
  const history = (await checkpoints.history?.(sessionId)) ?? [];
  return { latest: encode(latest), history: history.map((entry) => encode(entry)), toolsBy: toolsBy(latest) };
}

/** Saves that are in only one of two readings of a history; a changed one counts in both. */
export function historyChanges(before: Chain, after: Chain): number {
  const [old, now] = [new Set(before.history), new Set(after.history)];
  return (
    [...old].filter((entry) => !now.has(entry)).length + [...now].filter((entry) => !old.has(entry)).length
  );
}

function toolsBy(checkpoint: Checkpoint | null): number[] {
  const results = checkpoint?.messages.filter((message) => message.role === 'tool') ?? [];
  return results.map(({ content }) => (decode(content as string) as { by: number }).by);
}
