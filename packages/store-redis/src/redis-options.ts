import {
  type Clock,
  expected,
  historyLimit,
  positiveInteger,
  type StoreCapabilities,
} from '@lousho/core/contract';
import type { RedisOptions } from 'ioredis';
import { isRedisClient, type RedisClient } from './redis-client.js';

/** A client that stays the caller's, or how to connect: a URL or ioredis' options. */
export type RedisConnection = RedisClient | RedisOptions | string;

export interface StoreLogger {
  warn(message: string, error?: unknown): void;
}

export interface RedisStoreOptions {
  /** Saves kept per id for `history()`; 0 keeps none. Default 50. */
  readonly historyLimit?: number;
  /** Begins every key. Default `lousho:`. */
  readonly prefix?: string;
  /**
   * Milliseconds after which a finished run is forgotten by the server, all its keys together. Never a paused or unfinished run.
   * Absent: runs stay until `prune()` or `delete()`.
   */
  readonly ttlMs?: number;
  /** Longest time, in milliseconds, until a call is settled, whatever the connection does. Default 10,000. */
  readonly deadlineMs?: number;
  /**
   * What to do about a server that may evict keys, keeps nothing on its disk, or cannot be asked: `warn` (default) tells the logger once,
   * `error` refuses every call with `LOUSHO_CONFIG_INVALID`.
   */
  readonly onUnsafe?: 'warn' | 'error';
  /** What an acknowledged save survives, where the server does not let its settings be read. What can be read goes before it. */
  readonly survives?: NonNullable<StoreCapabilities['survives']>;
  /** Hears the warnings. Default: the console. */
  readonly logger?: StoreLogger;
  /** For tests: judges leases and dates saves instead of the server's own time. */
  readonly clock?: Clock;
}

export interface RedisSettings extends Omit<Required<RedisStoreOptions>, 'ttlMs' | 'survives' | 'clock'> {
  readonly ttlMs: number | undefined;
  readonly survives: RedisStoreOptions['survives'];
  readonly clock: Clock | undefined;
}

const DEFAULT_DEADLINE_MS = 10_000;
const LONGEST_PREFIX = 100;
const SURVIVES: readonly unknown[] = [undefined, 'nothing', 'process-crash', 'power-loss'];

/** The options with their defaults. Throws `LOUSHO_CONFIG_INVALID` for a value that is none. */
export function readOptions(options: RedisStoreOptions): RedisSettings {
  const { prefix = 'lousho:', ttlMs, onUnsafe = 'warn', survives, logger = console } = options;
  // A brace of the prefix's own would decide in which slot of a cluster all keys are.
  if (typeof prefix !== 'string' || prefix.length > LONGEST_PREFIX || /[{}]/.test(prefix)) {
    throw expected('prefix', `a string of at most ${LONGEST_PREFIX} characters without braces`, prefix);
  }
  if (onUnsafe !== 'warn' && onUnsafe !== 'error') throw expected('onUnsafe', 'warn or error', onUnsafe);
  if (!SURVIVES.includes(survives)) {
    throw expected('survives', 'nothing, process-crash or power-loss', survives);
  }
  if (typeof logger?.warn !== 'function') throw expected('logger', 'an object with a method warn', logger);
  return {
    historyLimit: historyLimit(options.historyLimit),
    prefix,
    ttlMs: ttlMs === undefined ? undefined : positiveInteger('ttlMs', ttlMs),
    deadlineMs: positiveInteger('deadlineMs', options.deadlineMs ?? DEFAULT_DEADLINE_MS),
    onUnsafe,
    survives,
    logger,
    clock: options.clock,
  };
}

/** Refuses, with `LOUSHO_CONFIG_INVALID`, what is neither a client nor a way to connect. */
export function assertConnection(value: unknown): asserts value is RedisConnection {
  if (typeof value === 'string' ? value !== '' : typeof value === 'object' && value !== null) return;
  throw expected('connection', "an ioredis client, a URL or ioredis' options", value);
}

export function isClientOf(connection: RedisConnection): connection is RedisClient {
  return isRedisClient(connection);
}
