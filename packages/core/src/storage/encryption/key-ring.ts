import { fromBase64, toBase64 } from '../../contract/base64.js';
import { ConfigurationError, expected, SDKError, show } from '../../contract/index.js';

/**
 * The keys of an encrypted store, by id. All of them open records; `writeKey` names the one that seals new ones. Keys rotate in two
 * deployments: first every process learns the new key, then every process writes with it.
 */
export interface EncryptionKeys {
  /** 1-64 letters, digits, `_` and `-` to 32 random bytes, or to their base64 text. An id is never given another key. */
  readonly keys: Readonly<Record<string, Uint8Array | string>>;
  readonly writeKey: string;
}

/** One key as records are sealed with it. */
export interface Key {
  readonly id: string;
  /** Stands in every record, so that another key under the same id is told from a tampered record. Says nothing of the key. */
  readonly check: string;
  readonly cipher: CryptoKey;
}

const KEY_BYTES = 32;
const KEY_ID = /^[A-Za-z0-9_-]{1,64}$/;
const CHECK_BITS = 48;
/** Each use has a key of its own, derived from the given one. */
const CIPHER_INFO = 'lousho record cipher 1';
const CHECK_INFO = 'lousho record key check 1';

export class KeyRing {
  readonly #secrets = new Map<string, Uint8Array<ArrayBuffer>>();
  readonly #derived = new Map<string, Promise<Key>>();
  readonly #writeKey: string;

  /** Refuses, with `LOUSHO_CONFIG_INVALID`, what are not keys. Keeps a copy of them. */
  constructor(options: EncryptionKeys) {
    if (typeof options !== 'object' || options === null) throw expected('keys', 'an object', options);
    if (typeof options.keys !== 'object' || options.keys === null) {
      throw expected('keys.keys', 'an object of key ids and keys', options.keys);
    }
    for (const [id, key] of Object.entries(options.keys)) {
      if (!KEY_ID.test(id)) throw expected('keys.keys', 'ids of 1-64 letters, digits, `_` and `-`', id);
      this.#secrets.set(id, secretOf(id, key));
    }
    if (!this.#secrets.has(options.writeKey)) {
      throw expected('keys.writeKey', `one of ${[...this.#secrets.keys()].join(', ')}`, options.writeKey);
    }
    this.#writeKey = options.writeKey;
  }

  writing(): Promise<Key> {
    return this.#key(this.#writeKey, this.#secrets.get(this.#writeKey) as Uint8Array<ArrayBuffer>);
  }

  /** The key that a record names. Rejects with `LOUSHO_RECORD_KEY_UNKNOWN` when it is not here, or another one has its id. */
  async reading(record: string, id: string, check: string): Promise<Key> {
    const secret = this.#secrets.get(id);
    if (!secret) {
      const known = [...this.#secrets.keys()].join(', ');
      throw new SDKError(
        'LOUSHO_RECORD_KEY_UNKNOWN',
        `${record} is sealed with key ${id}; this process has ${known}`,
      );
    }
    const key = await this.#key(id, secret);
    if (key.check !== check) {
      throw new SDKError(
        'LOUSHO_RECORD_KEY_UNKNOWN',
        `${record} is sealed with another key than the one that this process has under the id ${id}`,
      );
    }
    return key;
  }

  #key(id: string, secret: Uint8Array<ArrayBuffer>): Promise<Key> {
    const known = this.#derived.get(id);
    if (known) return known;
    const derived = derive(id, secret);
    this.#derived.set(id, derived);
    return derived;
  }
}

/** An error text never shows a key, whatever was passed for one. */
function secretOf(id: string, key: unknown): Uint8Array<ArrayBuffer> {
  const bytes = typeof key === 'string' ? bytesOf(key) : key;
  if (bytes instanceof Uint8Array && bytes.length === KEY_BYTES) return new Uint8Array(bytes);
  const got =
    bytes instanceof Uint8Array
      ? `${bytes.length} bytes`
      : typeof key === 'string'
        ? 'other text'
        : show(key);
  throw new ConfigurationError(
    `Expected key ${id} to be ${KEY_BYTES} bytes, or their base64 text, got ${got}`,
    { field: 'keys.keys' },
  );
}

function bytesOf(text: string): Uint8Array | undefined {
  try {
    return fromBase64(text);
  } catch {
    return undefined;
  }
}

async function derive(id: string, secret: Uint8Array<ArrayBuffer>): Promise<Key> {
  const { subtle } = crypto;
  const base = await subtle.importKey('raw', secret, 'HKDF', false, ['deriveKey', 'deriveBits']);
  const use = (info: string) => ({
    name: 'HKDF',
    hash: 'SHA-256',
    salt: new Uint8Array(),
    info: new TextEncoder().encode(info),
  });
  const [cipher, check] = await Promise.all([
    subtle.deriveKey(use(CIPHER_INFO), base, { name: 'AES-GCM', length: 256 }, false, ['encrypt', 'decrypt']),
    subtle.deriveBits(use(CHECK_INFO), base, CHECK_BITS),
  ]);
  return { id, check: toBase64(new Uint8Array(check)), cipher };
}
