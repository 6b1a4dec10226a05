import type { ConformanceHarness } from '@lousho/conformance';
import { LocalStorageCheckpointStore, type WebStorage } from '@lousho/store-memory';

const harness: ConformanceHarness = {
  name: 'web storage',
  seams: ['clock', 'historyLimit'],
  createStorage: async (options) => {
    const storage = webStorage();
    return {
      open: async () => {
        const checkpoints = new LocalStorageCheckpointStore(storage, options);
        const store = { checkpoints, prune: checkpoints.prune.bind(checkpoints) };
        return store;
      },
      damage: async (sessionId) => {
        const key = `checkpoints/${sessionId}.json`;
        storage.setItem(key, storage.getItem(key)?.slice(0, 20) ?? '');
      },
      dispose: async () => {},
    };
  },
};

export default harness;

/** What a browser gives, without its quota. */
function webStorage(): WebStorage {
  const values = new Map<string, string>();
  return {
    get length() {
      return values.size;
    },
    key: (index) => [...values.keys()][index] ?? null,
    getItem: (key) => values.get(key) ?? null,
    setItem: (key, value) => void values.set(key, value),
    removeItem: (key) => void values.delete(key),
  };
}
