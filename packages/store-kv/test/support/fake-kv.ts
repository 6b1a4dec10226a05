import type { KVListOptions, KVListResult, KVNamespace, KVPutOptions } from '@lousho/store-kv';

export interface FakeOptions {
  readonly clock: { now(): number };
  /** Keys per page of a listing; 1,000 when absent. */
  readonly pageSize?: number;
  /** Every other page is empty, as it may be. */
  readonly hasEmptyPages?: boolean;
  /** One write per second and key, as the service has it. */
  readonly isRateLimited?: boolean;
  /** Milliseconds after which another location sees a write, or that there was nothing to see. */
  readonly lagMs?: number;
}

interface Version {
  readonly value: string | null;
  readonly metadata: unknown;
  readonly at: number;
  readonly expiresAt: number;
  readonly location: string;
}

/** Workers KV as its documentation describes it, on a clock that a test moves: what a local stand-in does not show. */
export class FakeKv {
  readonly versions = new Map<string, Version[]>();
  readonly writes: string[] = [];
  refusals = 0;

  constructor(readonly options: FakeOptions) {}

  /** The binding of a Worker that runs at this location. */
  at(location: string): KVNamespace {
    return {
      get: async (key) => this.#seen(key, location)?.value ?? null,
      put: async (key, value, options = {}) => this.#put(key, value, options, location),
      delete: async (key) =>
        this.#write(key, { value: null, metadata: null, expiresAt: Number.POSITIVE_INFINITY }, location),
      list: async (options = {}) => this.#list(options, location),
    };
  }

  keys(): string[] {
    return [...this.versions.keys()].filter((key) => this.versions.get(key)?.at(-1)?.value !== null).sort();
  }

  #put(key: string, value: string, { expirationTtl, metadata = null }: KVPutOptions, location: string): void {
    if (expirationTtl !== undefined && !(Number.isInteger(expirationTtl) && expirationTtl >= 60)) {
      throw new Error(
        `KV PUT failed: 400 Invalid expiration_ttl of ${expirationTtl}. Expiration TTL must be at least 60.`,
      );
    }
    const bytes = new TextEncoder().encode(value).length;
    if (bytes > 25 * 1_024 * 1_024)
      throw new Error(`KV PUT failed: 413 Value length of ${bytes} exceeds limit of 26214400.`);
    if (JSON.stringify(metadata).length > 1_024)
      throw new Error('KV PUT failed: 413 Metadata length exceeds limit of 1024.');
    if (new TextEncoder().encode(key).length > 512)
      throw new Error('KV PUT failed: 414 UTF-8 encoded length exceeds 512.');
    const expiresAt =
      expirationTtl === undefined ? Number.POSITIVE_INFINITY : this.#now() + expirationTtl * 1_000;
    this.#write(key, { value, metadata, expiresAt }, location);
  }

  #write(key: string, version: Pick<Version, 'value' | 'metadata' | 'expiresAt'>, location: string): void {
    const versions = this.versions.get(key) ?? [];
    const last = versions.at(-1);
    if (this.options.isRateLimited && last && this.#now() - last.at < 1_000) {
      this.refusals += 1;
      throw new Error('KV PUT failed: 429 Too Many Requests');
    }
    this.versions.set(key, [...versions, { ...version, at: this.#now(), location }]);
    this.writes.push(key);
  }

  #seen(key: string, location: string): Version | undefined {
    const lagMs = this.options.lagMs ?? 0;
    const version = this.versions
      .get(key)
      ?.findLast((candidate) => candidate.location === location || this.#now() - candidate.at >= lagMs);
    return version && version.value !== null && this.#now() < version.expiresAt ? version : undefined;
  }

  #list({ prefix = '', cursor }: KVListOptions, location: string): KVListResult {
    const { pageSize = 1_000, hasEmptyPages = false } = this.options;
    const keys = [...this.versions.keys()]
      .filter((key) => key.startsWith(prefix) && this.#seen(key, location))
      .sort();
    const [from, isEmpty] = (cursor?.split(':') ?? ['0', hasEmptyPages ? 'empty' : '']) as [string, string];
    const start = Number(from);
    if (isEmpty === 'empty') return { keys: [], list_complete: false, cursor: `${start}:full` };
    const page = keys.slice(start, start + pageSize);
    const next = start + pageSize;
    const found = page.map((name) => ({ name, metadata: this.#seen(name, location)?.metadata }));
    if (next >= keys.length) return { keys: found, list_complete: true };
    return { keys: found, list_complete: false, cursor: `${next}:${hasEmptyPages ? 'empty' : 'full'}` };
  }

  #now(): number {
    return this.options.clock.now();
  }
}
