import type { Pool } from 'pg';
import { storePackages } from './store-packages.js';

/** For as many rules as are checked at the same time, each with a few clients. */
const MAX_CONNECTIONS = 24;

const pools = new Map<string, Pool>();

/** The connections of this process to a server: to make one takes longer than most of what a client does with it. Never to be ended. */
export function sharedPool(connectionString: string): Pool {
  const known = pools.get(connectionString);
  if (known) return known;
  const pool = new (storePackages.pg().Pool)({
    connectionString,
    max: MAX_CONNECTIONS,
    allowExitOnIdle: true,
  });
  // Each store on it listens; between two of them nobody does, and a server that ends is nothing to them.
  pool.setMaxListeners(0).on('error', () => undefined);
  pools.set(connectionString, pool);
  return pool;
}
