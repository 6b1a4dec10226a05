import { SDKError, type StoreCapabilities } from '@lousho/core/contract';
import { databaseOf, isClusterClient, type RedisClient } from './redis-client.js';
import { isForbidden } from './redis-errors.js';
import type { RedisSettings } from './redis-options.js';

type Survives = NonNullable<StoreCapabilities['survives']>;

/** What a server says of itself, as far as it does. */
export interface ServerFacts {
  readonly version?: string;
  readonly maxmemoryPolicy?: string;
  readonly appendonly?: boolean;
  readonly appendfsync?: string;
}

export interface ServerVerdict {
  readonly survives: Survives;
  /** What endangers stored runs, as sentences. */
  readonly dangers: readonly string[];
}

const TESTED_SINCE = 7;
const STRENGTHS: readonly Survives[] = ['nothing', 'process-crash', 'power-loss'];

/** Of every server that keeps a part of the data. Rejects with the server's word where it has not the database that the client asks for. */
export async function askServers(client: RedisClient): Promise<ServerFacts[]> {
  await assertDatabase(client);
  const servers = isClusterClient(client) ? client.nodes('master') : [client];
  return Promise.all(servers.map(askServer));
}

/** ioredis stays in the first database where it was refused the one that it was told, and goes on as if nothing had happened. */
async function assertDatabase(client: RedisClient): Promise<void> {
  const database = databaseOf(client);
  if (database === 0) return;
  const info = await allowed(client.call('client', 'info'));
  const isIn = typeof info === 'string' ? /\bdb=(\d+)/.exec(info)?.[1] : undefined;
  // Its owner may have moved a given client on to another one.
  if (isIn === undefined || isIn === '0') await client.call('select', database);
}

/** The weakest of the servers decides. */
export function judge(servers: readonly ServerFacts[], vouched: RedisSettings['survives']): ServerVerdict {
  const strengths = servers.map((facts) => survivalOf(facts) ?? vouched ?? 'nothing');
  const survives = STRENGTHS.find((one) => strengths.includes(one)) ?? 'nothing';
  return { survives, dangers: [...new Set(servers.flatMap((facts) => dangersOf(facts, vouched)))] };
}

/** `undefined` when the server does not tell. */
function survivalOf({ appendonly, appendfsync }: ServerFacts): Survives | undefined {
  if (appendonly === undefined) return undefined;
  if (!appendonly) return 'nothing';
  return appendfsync === 'always' ? 'power-loss' : 'process-crash';
}

function dangersOf(facts: ServerFacts, vouched: RedisSettings['survives']): string[] {
  const { appendonly, maxmemoryPolicy, version } = facts;
  const dangers: string[] = [];
  if (maxmemoryPolicy === undefined) {
    dangers.push('the server does not tell its maxmemory-policy: make sure that it is noeviction');
  } else if (maxmemoryPolicy !== 'noeviction') {
    dangers.push(
      `expected maxmemory-policy noeviction, got ${maxmemoryPolicy}: when its memory is full, the server removes runs and leases`,
    );
  }
  if (appendonly === false) {
    dangers.push('expected appendonly yes, got no: a restart of the server loses runs');
  }
  if (appendonly === undefined && vouched === undefined) {
    dangers.push(
      'the server does not tell whether it keeps an append-only file: `survives` is declared as `nothing`; say what holds with the option `survives`',
    );
  }
  if (version !== undefined && Number.parseInt(version, 10) < TESTED_SINCE) {
    dangers.push(
      `expected Redis ${TESTED_SINCE}.0 or newer, got ${version}, with which this package is not tested`,
    );
  }
  return dangers;
}

async function askServer(server: RedisClient): Promise<ServerFacts> {
  const [info, configs] = await Promise.all([
    allowed(server.call('info')),
    Promise.all(
      ['appendonly', 'appendfsync', 'maxmemory-policy'].map((name) =>
        allowed(server.call('config', 'get', name)),
      ),
    ),
  ]);
  const said = new Map([...infoFields(info), ...configs.flatMap(configFields)]);
  const appendonly = said.get('appendonly') ?? said.get('aof_enabled');
  const facts = {
    version: said.get('redis_version'),
    maxmemoryPolicy: said.get('maxmemory-policy') ?? said.get('maxmemory_policy'),
    appendonly: appendonly === undefined ? undefined : appendonly === 'yes' || appendonly === '1',
    appendfsync: said.get('appendfsync'),
  };
  return Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined));
}

/** `null` for what this user may not ask; managed servers often refuse CONFIG. */
async function allowed(answer: Promise<unknown>): Promise<unknown> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof SDKError || !isForbidden(error)) throw error;
    return null;
  }
}

function infoFields(info: unknown): [string, string][] {
  if (typeof info !== 'string') return [];
  return [...info.matchAll(/^(redis_version|maxmemory_policy|aof_enabled):(.*?)\r?$/gm)].map((match) => [
    match[1] as string,
    match[2] as string,
  ]);
}

function configFields(reply: unknown): [string, string][] {
  if (!Array.isArray(reply) || reply.length < 2) return [];
  return [[String(reply[0]), String(reply[1])]];
}
