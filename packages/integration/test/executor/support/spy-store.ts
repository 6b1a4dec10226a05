import type { Checkpoint, CheckpointStore, Message, SaveOptions } from '@lousho/core/contract';
import { memoryStore } from '@lousho/store-memory';
import { type StoreMethod, type ViewOptions, viewOf } from './store-view.js';

export interface SpySave {
  readonly checkpoint: Checkpoint;
  readonly options: SaveOptions | undefined;
  readonly isFenced: boolean;
}

export interface SpyStore {
  readonly checkpoints: CheckpointStore;
  /** The store behind the spy. */
  readonly inner: CheckpointStore;
  /** Every save that was accepted, as it was at that moment. */
  readonly saves: SpySave[];
  /** Every call, in order. */
  readonly calls: StoreMethod[];
}

/** A store that remembers what it was asked. `around` comes between the spy and the store. */
export function spyStore(
  inner: CheckpointStore = memoryStore().checkpoints,
  { around, ...rest }: ViewOptions = {},
): SpyStore {
  const saves: SpySave[] = [];
  const calls: StoreMethod[] = [];
  const checkpoints = viewOf(inner, {
    ...rest,
    around: async (method, args, next) => {
      calls.push(method);
      const copy = method === 'save' || method === 'saveIfLeased' ? structuredClone(args[1]) : undefined;
      const answer = await (around ? around(method, args, next) : next());
      if (copy !== undefined && answer !== false) {
        const isFenced = method === 'saveIfLeased';
        const options = (isFenced ? args[3] : args[2]) as SaveOptions | undefined;
        saves.push({ checkpoint: copy as Checkpoint, options, isFenced });
      }
      return answer;
    },
  });
  return { checkpoints, inner, saves, calls };
}

/** A save in one line: status, the transcript's roles, and the ids of results that are kept apart. */
export function outline({ checkpoint }: SpySave): string {
  const apart = (checkpoint.settledResults ?? []).map((result) => result.toolCallId);
  return [
    checkpoint.status,
    roles(checkpoint.messages),
    ...(apart.length > 0 ? [`apart:${apart.join(',')}`] : []),
  ].join(' | ');
}

/** `system user assistant(a,b) tool(a) tool(b)`. */
export function roles(messages: readonly Message[]): string {
  return messages
    .map(({ role, toolCalls, toolCallId }) => {
      if (toolCalls) return `${role}(${toolCalls.map((call) => call.id).join(',')})`;
      return toolCallId === undefined ? role : `${role}(${toolCallId})`;
    })
    .join(' ');
}
