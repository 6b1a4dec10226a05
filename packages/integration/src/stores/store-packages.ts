import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

/**
 * The packages of the stores and what stands behind them, each loaded when it is first asked for. A process that is started to be killed
 * has one store; to load all of them and their clients took it three times as long as all else that it did.
 */
export const storePackages = {
  file: () => require('@lousho/store-file') as typeof import('@lousho/store-file'),
  sqlite: () => require('@lousho/store-sqlite') as typeof import('@lousho/store-sqlite'),
  postgres: () => require('@lousho/store-postgres') as typeof import('@lousho/store-postgres'),
  redis: () => require('@lousho/store-redis') as typeof import('@lousho/store-redis'),
  dynamodb: () => require('@lousho/store-dynamodb') as typeof import('@lousho/store-dynamodb'),
  kv: () => require('@lousho/store-kv') as typeof import('@lousho/store-kv'),
  pg: () => require('pg') as typeof import('pg'),
  backends: () => require('@lousho/test-backends') as typeof import('@lousho/test-backends'),
};
