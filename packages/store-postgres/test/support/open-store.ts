import { PostgresStore, type PostgresStoreOptions } from '@lousho/store-postgres';
import { sharedPostgres } from '@lousho/test-backends';
import pg from 'pg';
import { onTestFinished } from 'vitest';

type Pooled = ConstructorParameters<typeof PostgresStore>[0];

/** A store that is closed when the test has finished. */
export function openStore(pool: Pooled, options?: PostgresStoreOptions): PostgresStore {
  const store = new PostgresStore(pool, options);
  onTestFinished(() => store.close());
  return store;
}

/** A schema of its own on the server that the tests share, dropped when the test has finished. */
export async function freshSchema(): Promise<{ url: string; schema: string; ask: Ask }> {
  const server = await sharedPostgres();
  const schema = server.freeName();
  const ask = asker(server.url);
  onTestFinished(() => ask(`DROP SCHEMA IF EXISTS ${schema} CASCADE`).then(() => {}));
  return { url: server.url, schema, ask };
}

export type Ask = (text: string, values?: readonly unknown[]) => Promise<Record<string, unknown>[]>;

/** One statement on a connection of its own, beside the store. */
export function asker(url: string): Ask {
  return async (text, values = []) => {
    const client = new pg.Client(url);
    client.on('error', () => {});
    await client.connect();
    try {
      return (await client.query({ text, values: [...values] })).rows as Record<string, unknown>[];
    } finally {
      await client.end();
    }
  };
}
