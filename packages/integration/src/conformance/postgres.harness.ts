import type { ConformanceHarness } from '@lousho/conformance';
import { PostgresStore } from '@lousho/store-postgres';
import { sharedPostgres } from '@lousho/test-backends';
import type pg from 'pg';
import { sharedPool } from '../stores/shared-pool.js';
import { atTimeOf } from './postgres-time.js';

const harness: ConformanceHarness = {
  name: 'postgres',
  // A client's clock reaches nothing that decides: the store takes none, and the clock given here is the server's.
  seams: ['clock', 'clientClock', 'historyLimit'],
  module: import.meta.url,
  createStorage: async ({ clock, historyLimit }) => {
    const { url, freeName } = await sharedPostgres();
    const schema = freeName();
    const pool = sharedPool(url);
    const options = { schema, ...(historyLimit !== undefined && { historyLimit }) };
    return {
      config: { url, schema },
      open: async () => {
        const store = new PostgresStore(atTimeOf(pool, clock), options);
        await store.ready();
        return store;
      },
      damage: (sessionId) => scribble(pool, schema, sessionId),
      dispose: async () => {
        await pool.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`);
      },
    };
  },
};

export default harness;

export const openFromConfig = (config: unknown) => {
  const { url, schema } = config as { url: string; schema: string };
  return new PostgresStore(url, { schema });
};

/** Cuts the end off every kept head of an id. */
async function scribble(pool: pg.Pool, schema: string, sessionId: string): Promise<void> {
  await pool.query(
    `UPDATE ${schema}.history SET head = left(head, -8)
     WHERE session_key = (SELECT session_key FROM ${schema}.checkpoints WHERE session_id = $1)`,
    [sessionId],
  );
}
