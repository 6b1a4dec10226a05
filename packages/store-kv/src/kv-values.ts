import { reasonOf, SDKError } from '@lousho/core/contract';
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

/** What is asked of the namespace. */
interface KvRequest {
  readonly kind: 'read' | 'write';
  readonly key?: string;
}

const UNREACHABLE =
  'The namespace did not answer. Try again, and look at its id in the configuration of the Worker and at the status of Workers KV.';

export interface ListedKey {
  readonly name: string;
  readonly metadata: unknown;
}

/** A namespace that is asked again when it refuses for the moment: one key takes one write per second. */
export class KvValues {
  constructor(
    readonly kv: KVNamespace,
    readonly settings: Pick<Settings, 'ttl' | 'deadlineMs' | 'clock' | 'sleep'>,
    /** Of the store, for error texts. */
    readonly name = 'Workers KV',
  ) {}

  get(key: string): Promise<string | null> {
    return this.#again(() => this.kv.get(key), { kind: 'read', key });
  }

  /** Without a ttl of its own the value has the store's. */
  put(key: string, value: string, options: KVPutOptions = {}): Promise<void> {
    return this.#again(() => this.kv.put(key, value, this.#withTtl(options)), { kind: 'write', key });
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
    return this.#again(() => this.kv.delete(key), { kind: 'write', key });
  }

  /** Every key that starts so, in code-point order. A page may be empty and have a next one. */
  async *keys(prefix: string): AsyncGenerator<ListedKey, void, undefined> {
    for (let cursor: string | undefined; ; ) {
      const options = { prefix, ...(cursor !== undefined && { cursor }) };
      const page = await this.#again(async () => this.kv.list?.(options), {
        kind: 'read',
        key: `${prefix}*`,
      });
      for (const { name, metadata } of page?.keys ?? []) yield { name, metadata };
      if (!page || page.list_complete) return;
      cursor = page.cursor;
    }
  }

  /** Waits for another try, or throws what came of the last one when the time since `startedAt`, monotonic, is over. */
  async pauseAfter(put: PutOutcome, attempt: number, startedAt: number): Promise<void> {
    if (await this.#pause(attempt, startedAt)) return;
    throw put.kind === 'unknown' ? this.#failed(put.cause, { kind: 'write' }) : this.#busy();
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
      `${this.name}: a key took no write for ${this.settings.deadlineMs} ms; it takes one per second`,
    );
  }

  #failed(cause: unknown, { kind, key }: KvRequest): SDKError {
    const failure = `${this.name}: a ${kind}${key === undefined ? '' : ` of ${key}`} failed again and again`;
    return kind === 'read'
      ? new SDKError('LOUSHO_STORAGE_FAILED', `${failure}: ${reasonOf(cause)}`, { cause, hint: UNREACHABLE })
      : new SDKError('LOUSHO_STORE_OUTCOME_UNKNOWN', `${failure}, and may have been made`, { cause });
  }

  async #again<T>(send: () => Promise<T>, request: KvRequest): Promise<T> {
    const startedAt = this.settings.clock.monotonic();
    for (let attempt = 1; ; attempt++) {
      try {
        return await send();
      } catch (error) {
        const fault = faultOf(error);
        if (fault === 'final') throw error;
        if (await this.#pause(attempt, startedAt)) continue;
        throw fault === 'too-many' ? this.#busy() : this.#failed(error, request);
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
