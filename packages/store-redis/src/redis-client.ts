import { addressOf } from '@lousho/core/contract';
import { Redis, type RedisOptions } from 'ioredis';

/** What the store uses of an ioredis client: `Redis` (also behind Sentinel) and `Cluster` both fit. */
export interface RedisClient {
  readonly status: string;
  readonly isCluster?: boolean;
  call(command: string, ...args: (string | number)[]): Promise<unknown>;
  connect(): Promise<unknown>;
  disconnect(reconnect?: boolean): void;
  on(event: string, listener: (error: unknown) => void): unknown;
  off(event: string, listener: (error: unknown) => void): unknown;
}

/** A cluster's client, which can name its servers. */
export interface ClusterClient extends RedisClient {
  nodes(role: 'master'): readonly RedisClient[];
}

export function isRedisClient(value: unknown): value is RedisClient {
  const client = value as Partial<Record<keyof RedisClient, unknown>> | null;
  return typeof client === 'object' && client !== null && typeof client.call === 'function';
}

export function isClusterClient(client: RedisClient): client is ClusterClient {
  return client.isCluster === true && typeof (client as Partial<ClusterClient>).nodes === 'function';
}

/** What a client of ioredis tells of its settings; one that is only shaped like it may tell nothing. */
interface Settings {
  readonly options?: Pick<RedisOptions, 'host' | 'port' | 'path' | 'username' | 'db' | 'sentinels' | 'name'>;
  readonly startupNodes?: readonly unknown[];
}

/** The database that a client asks for; 0 where it does not say. */
export function databaseOf(client: RedisClient): number {
  return isClusterClient(client) ? 0 : ((client as Settings).options?.db ?? 0);
}

/** `app@redis:6379/0`: where a client leads. */
export function placeOf(client: RedisClient): string {
  const { options = {}, startupNodes = [] } = client as Settings;
  if (isClusterClient(client)) return `the cluster of ${listed(startupNodes)}`;
  const { host, port, path, username: user, db: database, sentinels, name } = options;
  if (sentinels?.length) return `${name ?? 'the primary'} behind the sentinels ${listed(sentinels)}`;
  if (!host && !path) return 'the given client';
  return path ? addressOf({ user, host: path, database }) : addressOf({ user, host, port, database });
}

/** Of each server only host and port: a URL may hold a password. */
function listed(servers: readonly unknown[]): string {
  const places = servers.map((server) => {
    if (typeof server === 'number') return `127.0.0.1:${server}`;
    if (typeof server === 'string') return server.replace(/^.*@|^\w+:\/\//, '').replace(/[/?].*$/, '');
    const { host, port } = server as { readonly host?: string; readonly port?: number };
    return addressOf({ host, port });
  });
  return places.join(', ') || 'unknown servers';
}

const LONGEST_RECONNECT_PAUSE_MS = 500;
const KEEP_ALIVE_MS = 10_000;
/** How long a connection that is given up may take to end in order. */
const SILENT_CLOSE_MS = 200;

/**
 * A client of the store's own. It connects on the first call, and what to send again is the store's decision: nothing waits in a queue
 * to be sent after its call was answered.
 */
export function createClient(connection: string | RedisOptions): RedisClient {
  const options = typeof connection === 'string' ? {} : connection;
  const settings: RedisOptions = {
    retryStrategy: (attempt) => Math.min(attempt * 20, LONGEST_RECONNECT_PAUSE_MS),
    keepAlive: KEEP_ALIVE_MS,
    disconnectTimeout: SILENT_CLOSE_MS,
    // Behind Sentinel: leaves a primary that was replaced at once, not when it learns of it itself.
    failoverDetector: true,
    // After a failover the address may lead to another server.
    reconnectOnError: (error) => error.message.startsWith('READONLY'),
    ...options,
    maxRetriesPerRequest: null,
    lazyConnect: true,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    // A pipeline whose replies are lost without being sent again would hold back all that comes after it.
    enableAutoPipelining: false,
  };
  const client = typeof connection === 'string' ? new Redis(connection, settings) : new Redis(settings);
  // The calls that fail say why; without a listener ioredis prints each failed attempt.
  client.on('error', () => {});
  return client;
}
