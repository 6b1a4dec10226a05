export type { PostgresStoreOptions } from './postgres-options.js';
export type { PostgresClient, PostgresPool } from './postgres-pool.js';
export { PostgresStore } from './postgres-store.js';
