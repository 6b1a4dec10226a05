import type { FullStore } from './store-kind.js';

/**
 * Does all of it at once, as clients do that know nothing of each other. On a store that cannot tell who of them was first, which it
 * says itself (`fencing: 'best-effort'`), one after the other: what such clients do to each other there is nobody's promise.
 */
export async function together<T>(
  { checkpoints }: FullStore,
  works: readonly (() => Promise<T>)[],
): Promise<readonly T[]> {
  if (checkpoints.capabilities?.fencing === 'atomic') return Promise.all(works.map((work) => work()));
  const results: T[] = [];
  for (const work of works) results.push(await work());
  return results;
}
