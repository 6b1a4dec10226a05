import type { EncryptionKeys } from '@lousho/core';

const KEYS = { k1: new Uint8Array(32).fill(1), k2: new Uint8Array(32).fill(2) };

/** What a replica knows: the keys that it reads with, the last of which it writes with. */
export function keys(...ids: readonly (keyof typeof KEYS)[]): EncryptionKeys {
  return {
    keys: Object.fromEntries(ids.map((id) => [id, KEYS[id]])),
    writeKey: ids.at(-1) ?? '',
  };
}

/** Another key under a known id. */
export const OTHER_K1: EncryptionKeys = { keys: { k1: new Uint8Array(32).fill(9) }, writeKey: 'k1' };
