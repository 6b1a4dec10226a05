const guarded = new WeakSet<object>();

/** Remembers that a store checks its arguments itself, so that it is not wrapped a second time. */
export function markGuarded<T extends object>(store: T): T {
  guarded.add(store);
  return store;
}

export function isGuarded(store: object): boolean {
  return guarded.has(store);
}
