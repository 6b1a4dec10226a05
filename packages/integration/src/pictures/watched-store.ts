import type { AgentStore } from '@lousho/core';

export interface Watched {
  readonly method: string;
  readonly args: readonly unknown[];
  readonly answer: unknown;
}

/** A client of a store that tells of every call on its checkpoints when it is answered. */
export function watchedStore(store: AgentStore, tell: (call: Watched) => void): AgentStore {
  const { checkpoints, approvals } = store;
  return {
    ...(checkpoints && {
      checkpoints: new Proxy(checkpoints, {
        get: (target, key) => {
          const value: unknown = Reflect.get(target, key, target);
          if (typeof value !== 'function') return value;
          return async (...args: unknown[]) => {
            const answer: unknown = await Reflect.apply(value, target, args);
            tell({ method: String(key), args, answer });
            return answer;
          };
        },
      }),
    }),
    ...(approvals && { approvals }),
  };
}
