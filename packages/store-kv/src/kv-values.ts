import { SDKError } from '@lousho/core/contract';
import type { KVNamespace, KVPutOptions } from './kv-namespace.js';
import type { Settings } from './kv-options.js';

/** The largest value that KV takes. */
export const MAX_VALUE_BYTES = 25 * 1_024 * 1_024;

const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 1_000;

/** What became of a write that is tried once. `unknown`: its answer was lost, and it may have been made. */
export type PutOutcome =
  | { readonly kind: 'written' | 'refused' }
  | { readonly kind: 'unknown'; readonly cause: unknown };

export interface ListedKey {
  readonly name: string;
  readonly metadata: unknown;
}

/** A namespace that is asked again when it refuses for the moment: one key takes one write per second. */
export class KvValues {
  constructor(
    readonly kv: KVNamespace,
    readonly settings: Pick<Settings, 'ttl' | 'deadlineMs' | 'clock' | 'sleep'>,
  ) {}

  get(key: string): Promise<string | null> {
    return this.#again(() => this.kv.get(key), 'read');
  }

  /** Without a ttl of its own the value has the store's. */
  put(key: string, value: string, options: KVPutOptions = {}): Promise<void> {
    return this.#again(() => this.kv.put(key, value, this.#withTtl(options)), 'write');
  }

  /** Tries once, for a value that may only be written on what was just read. */
  async putNow(key: string, value: string, options: KVPutOptions = {}): Promise<PutOutcome> {
    try {
      await this.kv.put(key, value, this.#withTtl(options));
      return { kind: 'written' };
    } catch (cause) {
      const fault = faultOf(cause);
      if (fault === 'final') throw cause;
      return fault === 'too-many' ? { kind: 'refused' } : { kind: 'unknown', cause };
    }
  }

  delete(key: string): Promise<void> {
    return this.#again(() => this.kv.delete(key), 'write');
  }

  /** Every key that starts so, in code-point order. A page may be empty and have a next one. */
  async *keys(prefix: string): AsyncGenerator<ListedKey, void, undefined> {
    for (let cursor: string | undefined; ; ) {
      const options = { prefix, ...(cursor !== undefined && { cursor }) };
      const page = await this.#again(async () => this.kv.list?.(options), 'read');
      for (const { name, metadata } of page?.keys ?? []) yield { name, metadata };
      if (!page || page.list_complete) return;
      cursor = page.cursor;
    }
  }

  /** Waits for another try, or throws what came of the last one when the time since `startedAt`, monotonic, is over. */
  async pauseAfter(put: PutOutcome, attempt: number, startedAt: number): Promise<void> {
    if (await this.#pause(attempt, startedAt)) return;
    throw put.kind === 'unknown' ? failed(put.cause, 'write') : this.#busy();
  }

  /** `false`: there is no time left for another try. */
  async #pause(attempt: number, startedAt: number): Promise<boolean> {
    const longest = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (attempt - 1));
    const pauseMs = longest * (0.75 + Math.random() / 4);
    if (this.settings.clock.monotonic() + pauseMs - startedAt > this.settings.deadlineMs) return false;
    await this.settings.sleep(pauseMs);
    return true;
  }

  #busy(): SDKError {
    return new SDKError(
      'LOUSHO_STORAGE_BUSY',
      `Workers KV: a key took no write for ${this.settings.deadlineMs} ms; it takes one per second`,
    );
  }

  async #again<T>(request: () => Promise<T>, kind: 'read' | 'write'): Promise<T> {
    const startedAt = this.settings.clock.monotonic();
    for (let attempt = 1; ; attempt++) {
      try {
        return await request();
      } catch (error) {
        const fault = faultOf(error);
        if (fault === 'final') throw error;
        if (await this.#pause(attempt, startedAt)) continue;
        throw fault === 'too-many' ? this.#busy() : failed(error, kind);
      }
    }
  }

  #withTtl(options: KVPutOptions): KVPutOptions {
    const { ttl } = this.settings;
    return { ...(ttl !== undefined && { expirationTtl: ttl }), ...options };
  }
}

/** Refuses, before anything is written, what KV would not take. */
export function assertValueSize(sessionId: string, value: string): void {
  // The length decides almost always; counting bytes costs a copy.
  if (value.length * 3 <= MAX_VALUE_BYTES) return;
  const size = new TextEncoder().encode(value).length;
  if (size <= MAX_VALUE_BYTES) return;
  throw new SDKError(
    'LOUSHO_CHECKPOINT_TOO_LARGE',
    `${sessionId}: expected a value of at most ${MAX_VALUE_BYTES} bytes, got ${size}`,
  );
}

/** The binding has no codes: the status stands in the text. */
function faultOf(error: unknown): 'too-many' | 'passing' | 'final' {
  const text = error instanceof Error ? error.message : String(error);
  if (/\b429\b|too many requests/i.test(text)) return 'too-many';
  return /\b5\d\d\b|network|fetch failed|terminated|timed? ?out/i.test(text) ? 'passing' : 'final';
}

function failed(cause: unknown, kind: 'read' | 'write'): SDKError {
  return kind === 'read'
    ? new SDKError('LOUSHO_STORAGE_FAILED', 'Workers KV: a read failed again and again', { cause })
    : new SDKError('LOUSHO_STORE_OUTCOME_UNKNOWN', 'Workers KV: a write failed, and may have been made', {
        cause,
      });
}
