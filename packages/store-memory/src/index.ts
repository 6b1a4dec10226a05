export {
  LocalStorageCheckpointStore,
  type LocalStorageCheckpointStoreOptions,
} from './local-storage-checkpoint-store.js';
export { type MemoryStoreOptions, memoryStore } from './memory-store.js';
export type { WebStorage } from './web-storage.js';
