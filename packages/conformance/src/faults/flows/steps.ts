import type { Checkpoint } from '@lousho/core/contract';
import { checkpoint, user } from '../../world/builders.js';
import type { FlowActor } from './flow.js';
import { LONG_TTL } from './flow.js';

export interface SaveSize {
  /** Messages that each save adds. */
  readonly adds?: number;
  readonly bytes?: number;
}

/** Takes the id as a worker does that wants it. Rejects when it is refused. */
export async function take({ checkpoints, owner }: FlowActor, id: string, ttlMs = LONG_TTL): Promise<void> {
  const answer = await checkpoints.acquireLease(id, owner, ttlMs);
  if (answer === false) throw new Error(`${owner} was refused the lease of ${id}`);
}

/** Goes on from what is stored, so many times, as the holder. */
export async function saveOn(
  actor: FlowActor,
  id: string,
  saves: number,
  size: SaveSize = {},
): Promise<void> {
  for (let save = 0; save < saves; save++) {
    const next = nextCheckpoint(await actor.checkpoints.load(id), id, actor.owner, size);
    const isSaved = await actor.checkpoints.saveIfLeased(id, next, actor.owner);
    if (!isSaved) throw new Error(`${actor.owner} was fenced off ${id}`);
  }
}

/** The checkpoint that continues another one. Its text names its revision and its writer, so that no two are alike. */
export function nextCheckpoint(
  last: Checkpoint | null,
  id: string,
  writer: string,
  { adds = 1, bytes = 600 }: SaveSize = {},
): Checkpoint {
  const revision = (last?.revision ?? 0) + 1;
  const text = `revision ${revision} by ${writer} `.padEnd(bytes, '.');
  return checkpoint({
    sessionId: id,
    stepIndex: revision,
    revision,
    status: 'in-progress',
    messages: [...(last?.messages ?? []), ...Array.from({ length: adds }, () => user(text))],
  });
}

/** One whose whole transcript is new. */
export function replacingCheckpoint(
  last: Checkpoint | null,
  id: string,
  writer: string,
  bytes: number,
): Checkpoint {
  return {
    ...nextCheckpoint(null, id, writer),
    ...nextCheckpoint(last && { ...last, messages: [] }, id, writer, { bytes }),
  };
}
