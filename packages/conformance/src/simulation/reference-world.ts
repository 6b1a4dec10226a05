import { ReferenceStorage } from '../reference/reference-storage.js';
import type { ReferenceClasses } from '../reference/reference-store.js';
import { uncheckedReferenceStore } from '../reference/reference-store.js';
import type { SimulatedWorld } from './world.js';

/** The reference store, or one with some of its parts broken. Each client has a clock of its own, as on several hosts. */
export function referenceWorld(
  options: { readonly name?: string; readonly classes?: Partial<ReferenceClasses> } = {},
): SimulatedWorld {
  const { name = 'reference', classes = {} } = options;
  return {
    name,
    graceMs: 30_000,
    hasOwnClocks: true,
    openStorage: ({ historyLimit, graceMs }) => {
      const storage = new ReferenceStorage();
      return {
        client: ({ clock, point }) =>
          uncheckedReferenceStore({ storage, clock, point, historyLimit, graceMs, classes }),
      };
    },
  };
}
