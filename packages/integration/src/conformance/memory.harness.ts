import type { ConformanceHarness } from '@lousho/conformance';
import { memoryStore } from '@lousho/store-memory';

const harness: ConformanceHarness = {
  name: 'memory',
  seams: ['clock', 'historyLimit'],
  createStorage: async (options) => {
    const store = memoryStore(options);
    // It reaches no further than itself, so that every client is the store.
    return { open: async () => store, dispose: () => store.close() };
  },
};

export default harness;
