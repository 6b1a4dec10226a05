import {
  type AgentStore,
  type ApprovalStore,
  type CheckpointStore,
  guardCheckpointStore,
  type PruneOptions,
  type PruneResult,
  type SessionStore,
} from '@lousho/core/contract';
import { METHODS, type Method } from '../model/needs.js';

/**
 * A client of a storage as a rule uses it: the methods that the rule needs are there, because it is only run where they are.
 * Custom checkpoint stores stand behind the guard that the agent puts in front of them.
 */
export interface Client {
  readonly checkpoints: Required<CheckpointStore>;
  readonly approvals: Required<ApprovalStore>;
  readonly sessions: Required<SessionStore>;
  prune(options: PruneOptions): Promise<PruneResult>;
  close(): Promise<void>;
}

export function clientOf(store: AgentStore): Client {
  const { checkpoints, approvals, sessions } = store;
  const { prune } = store as Partial<Client>;
  return {
    ...(checkpoints && { checkpoints: guardCheckpointStore(checkpoints) }),
    ...(approvals && { approvals }),
    ...(sessions && { sessions }),
    ...(prune && { prune: (options: PruneOptions) => prune.call(store, options) }),
    ...(store.close && { close: () => store.close?.() }),
  } as Client;
}

/** The methods that a store has. */
export function methodsOf(client: Client): ReadonlySet<Method> {
  return new Set(METHODS.filter((method) => isThere(client, method)));
}

function isThere(client: Client, method: Method): boolean {
  const [part, name] = method.split('.') as [keyof Client, string | undefined];
  const found: unknown = name === undefined ? client[part] : Reflect.get(client[part] ?? {}, name);
  return typeof found === 'function';
}
