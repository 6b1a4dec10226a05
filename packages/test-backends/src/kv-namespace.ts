export interface KvPutOptions {
  readonly expiration?: number;
  readonly expirationTtl?: number;
  readonly metadata?: unknown;
}

export interface KvListOptions {
  readonly prefix?: string;
  readonly limit?: number;
  readonly cursor?: string;
}

export interface KvListResult {
  readonly keys: readonly {
    readonly name: string;
    readonly expiration?: number;
    readonly metadata?: unknown;
  }[];
  readonly list_complete: boolean;
  readonly cursor?: string;
}

export type KvType = 'text' | 'json' | 'arrayBuffer' | 'stream';

/** What Workers give as a KV binding. */
export interface KvNamespace {
  get(key: string, type?: KvType | { readonly type?: KvType; readonly cacheTtl?: number }): Promise<unknown>;
  getWithMetadata(
    key: string,
    type?: KvType | { readonly type?: KvType; readonly cacheTtl?: number },
  ): Promise<{ value: unknown; metadata: unknown }>;
  put(
    key: string,
    value: string | ArrayBuffer | ArrayBufferView | ReadableStream,
    options?: KvPutOptions,
  ): Promise<void>;
  delete(key: string): Promise<void>;
  list(options?: KvListOptions): Promise<KvListResult>;
}

/** The namespace of a server of `startKv()`, also from another process. Rejects with the binding's own messages. */
export function connectKv(url: string): KvNamespace {
  const ask = async (
    path: string,
    query: { key?: string; options?: unknown },
    body?: RequestInit['body'],
  ) => {
    const address = new URL(path, url);
    if (query.key !== undefined) address.searchParams.set('key', query.key);
    if (query.options !== undefined) address.searchParams.set('options', JSON.stringify(query.options));
    const sent = body === undefined ? {} : { method: 'POST', body, duplex: 'half' as const };
    const response = await fetch(address, sent);
    if (response.ok) return response;
    const error = new Error(await response.text());
    error.name = response.headers.get('x-error') ?? 'Error';
    throw error;
  };
  const read: KvNamespace['getWithMetadata'] = async (key, asked = 'text') => {
    const { type = 'text', ...options } = typeof asked === 'string' ? { type: asked } : asked;
    const response = await ask('/get', { key, options });
    const metadata: unknown = JSON.parse(decodeURIComponent(response.headers.get('x-metadata') ?? 'null'));
    if (response.headers.get('x-found') === 'true') return { value: await decoded(response, type), metadata };
    await response.arrayBuffer();
    return { value: null, metadata };
  };
  return {
    get: async (key, type) => (await read(key, type)).value,
    getWithMetadata: read,
    put: async (key, value, options) => {
      await (await ask('/put', { key, options: options ?? {} }, value as RequestInit['body'])).arrayBuffer();
    },
    delete: async (key) => {
      await (await ask('/delete', { key })).arrayBuffer();
    },
    list: async (options) => (await (await ask('/list', { options: options ?? {} })).json()) as KvListResult,
  };
}

async function decoded(response: Response, type: KvType): Promise<unknown> {
  if (type === 'json') return response.json();
  if (type === 'arrayBuffer') return response.arrayBuffer();
  // As the binding does it: no byte order mark is taken off.
  if (type === 'text')
    return new TextDecoder('utf-8', { ignoreBOM: true }).decode(await response.arrayBuffer());
  return response.body;
}
