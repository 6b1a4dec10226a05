import type { ConformanceHarness } from '../model/harness.js';
import { ReferenceStorage } from '../reference/reference-storage.js';
import { referenceStore } from '../reference/reference-store.js';
import type { Control } from './mutant.js';

/** The harness of a mutant or a control. */
export function mutantHarness({ name, around, ...broken }: Omit<Control, 'says'>): ConformanceHarness {
  return {
    name,
    seams: ['clock', 'historyLimit', 'graceMs'],
    createStorage: async (options) => {
      const storage = new ReferenceStorage();
      const open = () => referenceStore({ graceMs: GRACE_MS, ...options, ...broken, storage, point });
      return { open: async () => around?.(open()) ?? open(), dispose: async () => {} };
    },
  };
}

/** Of a length that no rule names, so that one that takes it for something else is seen. */
const GRACE_MS = 7_000;

/** Between the steps of a mutant everything else that is ready comes first. */
async function point(name: string): Promise<void> {
  if (name === 'between') await new Promise<void>((resolve) => setImmediate(resolve));
}
