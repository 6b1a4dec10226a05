import type { PostgresClient, PostgresPool } from './postgres-pool.js';

/**
 * Keeps the errors of a pool's connections from ending the process, as an error does that nobody listens to: those of idle ones, which
 * the pool reports and replaces at the next call, and those of new ones. Returns what ends the listening.
 */
export function listenTo(pool: PostgresPool): () => void {
  const events = pool as PostgresPool & NewConnections;
  pool.on('error', ignore);
  events.on('connect', untilLent);
  return () => {
    pool.removeListener('error', ignore);
    events.removeListener('connect', untilLent);
  };
}

/** What a pool of `pg` tells besides; one that is only shaped like it may never do. */
interface NewConnections {
  on(event: 'connect', listener: (client: PostgresClient) => void): unknown;
  removeListener(event: 'connect', listener: (client: PostgresClient) => void): unknown;
}

/**
 * The pool stops listening when it gives a new connection away, and whoever asked for it hears of that only when all that came in the
 * same packet has been read: perhaps that the server ends it.
 */
function untilLent(client: PostgresClient): void {
  const hush = () => {};
  client.on('error', hush);
  setImmediate(() => client.removeListener('error', hush));
}

function ignore(): void {}
