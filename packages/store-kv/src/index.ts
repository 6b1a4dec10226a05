export { KVCheckpointStore } from './kv-checkpoint-store.js';
export type { KVListOptions, KVListResult, KVNamespace, KVPutOptions } from './kv-namespace.js';
export type { KVStoreOptions } from './kv-options.js';
export { KVStore } from './kv-store.js';
