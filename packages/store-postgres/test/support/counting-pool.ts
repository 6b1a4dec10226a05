import type { PostgresClient, PostgresPool } from '@lousho/store-postgres';
import pg from 'pg';
import { onTestFinished } from 'vitest';

export interface CountingPool extends PostgresPool {
  /** The statements that were sent so far, each with the bytes of its text and values. */
  readonly sent: { readonly text: string; readonly bytes: number }[];
}

/** A real pool that remembers what was sent. Ended when the test has finished. */
export function countingPool(url: string): CountingPool {
  const pool = new pg.Pool({ connectionString: url, max: 8 });
  onTestFinished(() => pool.end());
  const sent: { text: string; bytes: number }[] = [];
  return {
    sent,
    connect: async () => {
      const client = await pool.connect();
      const counted: PostgresClient = {
        query: (query) => {
          const bytes = (query.values ?? []).map((value) =>
            Buffer.isBuffer(value) ? value.length : String(value).length,
          );
          sent.push({ text: query.text, bytes: bytes.reduce((sum, size) => sum + size, query.text.length) });
          return client.query({ text: query.text, values: query.values ?? [] });
        },
        release: (destroy) => client.release(destroy),
        on: (event, listener) => client.on(event, listener),
        removeListener: (event, listener) => client.removeListener(event, listener),
      };
      return counted;
    },
    on: (event, listener) => pool.on(event, listener),
    removeListener: (event, listener) => pool.removeListener(event, listener),
    end: () => pool.end(),
  };
}
