import type { ConformanceHarness } from '../model/harness.js';
import { ReferenceStorage } from './reference-storage.js';
import { type ReferenceStoreOptions, referenceStore } from './reference-store.js';

/** The harness of the reference store, or of one that is broken or weakened by `overrides`. */
export function referenceHarness(
  overrides: Omit<ReferenceStoreOptions, 'storage' | 'clock' | 'historyLimit'> & {
    readonly name?: string;
  } = {},
): ConformanceHarness {
  const { name = 'reference', ...rest } = overrides;
  return {
    name,
    seams: ['clock', 'historyLimit', 'graceMs'],
    createStorage: async (options) => {
      const storage = new ReferenceStorage();
      return {
        open: async () => referenceStore({ ...options, ...rest, storage }),
        dispose: async () => {},
      };
    },
  };
}
