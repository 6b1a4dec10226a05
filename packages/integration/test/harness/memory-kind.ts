import { memoryStore } from '@lousho/store-memory';
import type { FullStore, StoreKind } from './store-kind.js';
import { testClock } from './test-clock.js';

export const memoryKind: StoreKind = {
  name: 'memory',
  storage() {
    const clock = testClock();
    let store: FullStore | undefined;
    const open = (options = {}) => {
      store ??= memoryStore({ clock, ...options }) as FullStore;
      return store;
    };
    return {
      kind: 'memory',
      clock,
      open,
      raw: async (sessionId) => {
        const { checkpoints } = open();
        return JSON.stringify([await checkpoints.load(sessionId), await checkpoints.history(sessionId)]);
      },
      end: async () => {
        await store?.close();
      },
    };
  },
};
