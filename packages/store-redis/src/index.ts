export type { RedisClient } from './redis-client.js';
export type { RedisConnection, RedisStoreOptions, StoreLogger } from './redis-options.js';
export { RedisStore } from './redis-store.js';
