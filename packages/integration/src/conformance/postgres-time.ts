import type { Clock } from '@lousho/core';
import type { PostgresClient, PostgresPool } from '@lousho/store-postgres';
import type pg from 'pg';

/** The pool of a server whose clock stands still until it is moved. The pool itself stays open when a store ends it. */
export function atTimeOf(pool: pg.Pool, clock: Clock): PostgresPool {
  return {
    connect: async () => {
      const client = await pool.connect();
      const atTime: PostgresClient = {
        query: ({ text, values = [] }) => {
          const now = `to_timestamp(${clock.now()}::numeric / 1000)`;
          return client.query({ text: text.replaceAll('clock_timestamp()', now), values });
        },
        release: (destroy) => client.release(destroy),
        on: (event, listener) => client.on(event, listener),
        removeListener: (event, listener) => client.removeListener(event, listener),
      };
      return atTime;
    },
    on: (event, listener) => pool.on(event, listener),
    removeListener: (event, listener) => pool.removeListener(event, listener),
    end: async () => {},
  };
}
