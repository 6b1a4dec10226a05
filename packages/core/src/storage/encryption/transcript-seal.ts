import { toBase64 } from '../../contract/base64.js';
import { nonceOf } from './envelope.js';

/** What a checkpoint knows of its messages, so that none can be dropped, added, exchanged or moved beside it. */
export interface TranscriptSeal {
  readonly count: number;
  readonly digest: string;
}

/**
 * Over the nonces alone: no two envelopes have the same one, and none opens under another one than its own. It costs 16 characters
 * a message, so that a save of a long transcript stays cheap.
 */
export async function transcriptSeal(envelopes: readonly string[]): Promise<TranscriptSeal> {
  const nonces = new TextEncoder().encode(envelopes.map(nonceOf).join('.'));
  const digest = await crypto.subtle.digest('SHA-256', nonces);
  return { count: envelopes.length, digest: toBase64(new Uint8Array(digest)) };
}
