import { StatementFailure, whileConnecting, whileRunning } from './failure.js';
import type { PostgresClient, PostgresPool } from './postgres-pool.js';

export interface Statement {
  readonly text: string;
  readonly values?: readonly unknown[];
}

export type Row = Readonly<Record<string, unknown>>;

/** One statement, once, on any connection of the pool, within `timeoutMs`. Rejects with a `StatementFailure`. */
export async function attempt(
  pool: PostgresPool,
  statement: Statement,
  timeoutMs: number,
): Promise<readonly Row[]> {
  return onConnection(pool, timeoutMs, (query) => query(statement));
}

export type Query = (statement: Statement) => Promise<readonly Row[]>;

/** Lends a connection to `work`, which ends within `timeoutMs` or loses it. */
export async function onConnection<T>(
  pool: PostgresPool,
  timeoutMs: number,
  work: (query: Query) => Promise<T>,
): Promise<T> {
  const deadline = performance.now() + timeoutMs;
  const client = await connect(pool, timeoutMs);
  // While it is lent the pool does not listen, and an error without a listener would end the process.
  const ignore = () => {};
  client.on('error', ignore);
  let isBroken = false;
  const query: Query = async ({ text, values = [] }) => {
    const late = new StatementFailure('lost', new Error(`no answer within ${Math.round(timeoutMs)} ms`));
    try {
      const left = Math.max(1, deadline - performance.now());
      // Without a name: a named statement belongs to one session, and a transaction pooler gives each call another one.
      const { rows } = await within(client.query({ text, values: [...values] }), left, late);
      return rows as Row[];
    } catch (error) {
      const failure = error instanceof StatementFailure ? error : whileRunning(error);
      isBroken ||= failure.kind === 'lost';
      throw failure;
    }
  };
  try {
    return await work(query);
  } finally {
    client.removeListener('error', ignore);
    // A connection that still owes an answer must not serve anybody else.
    client.release(isBroken);
  }
}

async function connect(pool: PostgresPool, timeoutMs: number): Promise<PostgresClient> {
  const late = new StatementFailure(
    'unavailable',
    new Error(`no connection within ${Math.round(timeoutMs)} ms`),
  );
  let connecting: Promise<PostgresClient>;
  try {
    connecting = pool.connect();
  } catch (error) {
    throw whileConnecting(error);
  }
  try {
    return await within(connecting, timeoutMs, late);
  } catch (error) {
    if (error !== late) throw whileConnecting(error);
    // One that comes too late goes back to the pool.
    connecting.then(
      (client) => client.release(),
      () => {},
    );
    throw late;
  }
}

async function within<T>(promise: Promise<T>, ms: number, late: Error): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(reject, ms, late);
  });
  try {
    return await Promise.race([promise, timeout]);
  } finally {
    clearTimeout(timer);
    // Whoever lost the race may still reject, and nobody listens any more.
    promise.catch(() => {});
  }
}
