import type { AgentStore } from '@lousho/core';

/** Comes between a process and its store; `name` is `checkpoints.save`, `sessions.saveIf` and so on. */
export type Around = (name: string, args: readonly unknown[], next: () => Promise<unknown>) => unknown;

/** The store as another process sees it: other objects over the same data, and whatever comes in between. */
export function view(store: AgentStore, around: Around = (_, __, next) => next()): AgentStore {
  return {
    ...(store.checkpoints && { checkpoints: part(store.checkpoints, 'checkpoints', around) }),
    ...(store.approvals && { approvals: part(store.approvals, 'approvals', around) }),
    ...(store.sessions && { sessions: part(store.sessions, 'sessions', around) }),
  };
}

function part<T extends object>(inner: T, name: string, around: Around): T {
  return new Proxy(inner, {
    get: (target, key) => {
      const value: unknown = Reflect.get(target, key, target);
      if (typeof value !== 'function' || key === 'constructor') return value;
      return async (...args: unknown[]) =>
        around(`${name}.${String(key)}`, args, async () => Reflect.apply(value, target, args));
    },
  });
}
