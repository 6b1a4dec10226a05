import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { DYNAMO_CLIENT, startDynamo } from './dynamo.js';
import { startKv } from './kv.js';
import { connectKv, type KvNamespace } from './kv-namespace.js';
import { startPostgres } from './postgres.js';
import { startRedis } from './redis.js';

/** A server that all test files of a run use: never stop or break it, and use names of your own on it. */
export interface SharedServer {
  readonly url: string;
  /** A name that nobody else uses, for a schema, a table, a key prefix: `t` and 32 letters and digits. */
  freeName(): string;
}

export type SharedName = 'postgres' | 'redis' | 'dynamo' | 'kv';

/** The environment variable by which `vitest-setup` says where it answers. */
export const SHARED_PORT = 'LOUSHO_TEST_BACKENDS_PORT';

export function sharedPostgres(): Promise<SharedServer> {
  return shared('postgres', process.env.POSTGRES_URL);
}

/** Its data outlive a kill (`appendonly`), every second. */
export function sharedRedis(): Promise<SharedServer> {
  return shared('redis', process.env.REDIS_URL);
}

export async function sharedDynamo(): Promise<
  SharedServer & typeof DYNAMO_CLIENT & { readonly endpoint: string }
> {
  const server = await shared('dynamo', process.env.DYNAMODB_ENDPOINT);
  return { ...server, endpoint: server.url, ...DYNAMO_CLIENT };
}

export async function sharedKv(): Promise<SharedServer & { readonly namespace: KvNamespace }> {
  const server = await shared('kv', undefined);
  return { ...server, namespace: connectKv(server.url) };
}

/** Starts the server that a run shares; it ends with the process that called this. */
export const START: Readonly<Record<SharedName, () => Promise<{ readonly url: string }>>> = {
  postgres: () => startPostgres(),
  redis: () => startRedis(),
  dynamo: () => startDynamo(),
  kv: () => startKv(),
};

const own = new Map<SharedName, Promise<string>>();

async function shared(name: SharedName, given: string | undefined): Promise<SharedServer> {
  let url = own.get(name);
  if (!url) {
    const port = process.env[SHARED_PORT];
    if (given) url = Promise.resolve(given);
    else if (port) url = askRun(Number(port), name);
    else url = START[name]().then((server) => server.url);
    own.set(name, url);
  }
  return { url: await url, freeName: () => `t${randomUUID().replaceAll('-', '')}` };
}

async function askRun(port: number, name: SharedName): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  socket.end(`${name}\n`);
  let text = '';
  for await (const chunk of socket) text += String(chunk);
  const answer = JSON.parse(text) as { url?: string; error?: string };
  if (answer.url === undefined) throw new Error(answer.error);
  return answer.url;
}
