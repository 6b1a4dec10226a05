import type { CheckpointStore } from '@lousho/core/contract';

const METHODS = [
  'save',
  'load',
  'delete',
  'list',
  'listPending',
  'history',
  'acquireLease',
  'renewLease',
  'renewLeases',
  'releaseLease',
  'saveIfLeased',
  'readLease',
] as const satisfies readonly (keyof CheckpointStore)[];

export type StoreMethod = (typeof METHODS)[number];

export interface ViewOptions {
  /** Takes the place of a method; `next` is the method itself. */
  readonly around?: (method: StoreMethod, args: readonly unknown[], next: () => Promise<unknown>) => unknown;
  /** The methods that the view has; default all that the store has. */
  readonly only?: readonly StoreMethod[];
}

export const THREE_METHODS: readonly StoreMethod[] = ['save', 'load', 'delete'];

/** Another object over the same store: what a second process has, or a store that lacks methods, or one that misbehaves. */
export function viewOf(
  store: CheckpointStore,
  { around, only = METHODS }: ViewOptions = {},
): CheckpointStore {
  const view: Record<string, unknown> = { capabilities: store.capabilities };
  for (const method of only) {
    const real = store[method] as ((...args: unknown[]) => Promise<unknown>) | undefined;
    if (!real) continue;
    view[method] = async (...args: unknown[]) => {
      const next = () => real.apply(store, args);
      return around ? around(method, args, next) : next();
    };
  }
  return view as unknown as CheckpointStore;
}
