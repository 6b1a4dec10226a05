import { memoryStore } from '@lousho/store-memory';
import type { FullStore, StoreKind } from './store-kind.js';
import { testClock } from './test-clock.js';

export const memoryKind: StoreKind<FullStore> = {
  name: 'memory',
  storage() {
    const clock = testClock();
    let store: FullStore | undefined;
    return {
      clock,
      open: (options) => {
        store ??= memoryStore({ clock, ...options }) as FullStore;
        return store;
      },
      end: async () => {
        await store?.close();
      },
    };
  },
};
