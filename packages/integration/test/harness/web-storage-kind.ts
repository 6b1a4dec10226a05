import { LocalStorageCheckpointStore } from '@lousho/store-memory';
import { QuotaStorage } from './quota-storage.js';
import type { BasicCheckpoints, StoreKind } from './store-kind.js';
import { testClock } from './test-clock.js';

export interface CheckpointsOnly {
  readonly checkpoints: BasicCheckpoints;
}

export const webStorageKind: StoreKind<CheckpointsOnly> = {
  name: 'web storage',
  storage() {
    const clock = testClock();
    const storage = new QuotaStorage();
    return {
      clock,
      open: (options) => ({ checkpoints: new LocalStorageCheckpointStore(storage, { clock, ...options }) }),
      damage: (sessionId) => {
        const key = `checkpoints/${sessionId}.json`;
        storage.setItem(key, storage.getItem(key)?.slice(0, 20) ?? '');
      },
      end: async () => {},
    };
  },
};
