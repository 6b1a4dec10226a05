/** The part of a Workers KV binding that is used: a real binding, or anything shaped like it. */
export interface KVNamespace {
  get(key: string): Promise<string | null>;
  put(key: string, value: string, options?: KVPutOptions): Promise<void>;
  delete(key: string): Promise<void>;
  /** A binding without it keeps runs all the same; nothing can be listed or pruned then. */
  list?(options?: KVListOptions): Promise<KVListResult>;
}

export interface KVPutOptions {
  /** Seconds, at least 60. */
  readonly expirationTtl?: number;
  /** At most 1,024 bytes as JSON. */
  readonly metadata?: unknown;
}

export interface KVListOptions {
  readonly prefix?: string;
  readonly cursor?: string;
}

export interface KVListResult {
  readonly keys: readonly { readonly name: string; readonly metadata?: unknown }[];
  /** `false`: there is a next page, also when this one is empty. */
  readonly list_complete: boolean;
  readonly cursor?: string;
}
