import { fromBase64, toBase64 } from '../../contract/base64.js';
import { ENVELOPE_FORMAT, readEnvelope, tampered, writeEnvelope } from './envelope.js';
import type { KeyRing } from './key-ring.js';

/** What a sealed text belongs to. It opens only as the same part of the same record. */
export interface SealedPart {
  readonly kind: 'checkpoint' | 'message' | 'error' | 'approval' | 'snapshot' | 'decision' | 'session';
  /** The id of the record. */
  readonly id: string;
  /** A further text to which the part is bound. */
  readonly boundTo?: string;
}

const NONCE_BYTES = 12;
const TAG_BITS = 128;

/** Seals JSON texts, which are well-formed Unicode, with AES-256-GCM under a fresh random nonce each, and opens them. */
export class Sealer {
  readonly #ring: KeyRing;

  constructor(ring: KeyRing) {
    this.#ring = ring;
  }

  async seal(part: SealedPart, text: string): Promise<string> {
    const key = await this.#ring.writing();
    const iv = crypto.getRandomValues(new Uint8Array(NONCE_BYTES));
    const data = await crypto.subtle.encrypt(
      cipherOf(part, key.id, iv),
      key.cipher,
      new TextEncoder().encode(text),
    );
    return writeEnvelope({
      keyId: key.id,
      check: key.check,
      nonce: toBase64(iv),
      data: toBase64(new Uint8Array(data)),
    });
  }

  /**
   * Rejects with `LOUSHO_RECORD_NOT_ENCRYPTED`, `LOUSHO_RECORD_TRUNCATED`, `LOUSHO_RECORD_KEY_UNKNOWN`, `LOUSHO_RECORD_TAMPERED` or,
   * for one of a newer format, `LOUSHO_STORAGE_INCOMPATIBLE`.
   */
  async open(part: SealedPart, sealed: unknown): Promise<string> {
    const record = nameOf(part);
    const { keyId, check, nonce, data } = readEnvelope(record, sealed);
    const key = await this.#ring.reading(record, keyId, check);
    try {
      const plain = await crypto.subtle.decrypt(
        cipherOf(part, keyId, fromBase64(nonce)),
        key.cipher,
        fromBase64(data),
      );
      return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(plain);
    } catch (cause) {
      throw tampered(record, cause);
    }
  }
}

export function nameOf({ kind, id }: SealedPart): string {
  switch (kind) {
    case 'message':
    case 'error':
    case 'checkpoint':
      return `checkpoint ${id}`;
    case 'session':
      return `session ${id}`;
    case 'approval':
    case 'snapshot':
    case 'decision':
      return `approval ${id}`;
    default:
      return kind satisfies never;
  }
}

function cipherOf(
  { kind, id, boundTo }: SealedPart,
  keyId: string,
  iv: Uint8Array<ArrayBuffer>,
): AesGcmParams {
  const additionalData = new TextEncoder().encode(
    JSON.stringify([ENVELOPE_FORMAT, keyId, kind, id, boundTo]),
  );
  return { name: 'AES-GCM', iv, additionalData, tagLength: TAG_BITS };
}
