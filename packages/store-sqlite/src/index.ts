export type { SqliteStoreOptions } from './sqlite-options.js';
export { SqliteStore } from './sqlite-store.js';
