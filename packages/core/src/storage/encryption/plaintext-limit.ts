import { SDKError, type StoreCapabilities } from '../../contract/index.js';

/** Of the inner store's limit: base64 takes a third more, and what surrounds the texts takes some. */
const SHARE = 0.7;
const RESERVED_BYTES = 4_096;

/** What the inner store promises, with the room that is left for plain text. */
export function encryptedCapabilities(inner: StoreCapabilities | undefined): StoreCapabilities | undefined {
  const max = inner?.limits?.maxCheckpointBytes;
  if (max === undefined) return inner;
  return { ...inner, limits: { ...inner?.limits, maxCheckpointBytes: plaintextBytes(max) } };
}

/**
 * Holds a save to the declared limit. Of very many tiny messages the inner store may refuse fewer bytes than that, with the same
 * code: each message takes about 100 more.
 */
export class PlaintextLimit {
  readonly #max: number | undefined;

  constructor(inner: StoreCapabilities | undefined) {
    const max = inner?.limits?.maxCheckpointBytes;
    this.#max = max === undefined ? undefined : plaintextBytes(max);
  }

  /** Rejects with `LOUSHO_CHECKPOINT_TOO_LARGE`. */
  assert(sessionId: string, texts: readonly string[]): void {
    if (this.#max === undefined) return;
    const utf8 = new TextEncoder();
    const size = texts.reduce((sum, text) => sum + utf8.encode(text).length, 0);
    if (size <= this.#max) return;
    throw new SDKError(
      'LOUSHO_CHECKPOINT_TOO_LARGE',
      `checkpoint ${sessionId}: expected at most ${this.#max} bytes in one save, got ${size}`,
    );
  }
}

function plaintextBytes(max: number): number {
  return Math.max(0, Math.floor((max - RESERVED_BYTES) * SHARE));
}
