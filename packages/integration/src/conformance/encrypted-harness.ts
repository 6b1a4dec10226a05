import type { ConformanceHarness } from '@lousho/conformance';
import { type BundledStore, type EncryptionKeys, encrypted } from '@lousho/core';

/** Of the tests alone: a key that can be read here protects nothing. */
export const TEST_KEYS: EncryptionKeys = { keys: { test: new Uint8Array(32).fill(7) }, writeKey: 'test' };

/** The same storage behind encrypted clients. `module` is the one that opens it in other processes. */
export function encryptedHarness(
  plain: ConformanceHarness,
  { module }: { readonly module?: string },
): ConformanceHarness {
  const { module: _, ...rest } = plain;
  return {
    ...rest,
    name: `encrypted ${plain.name}`,
    ...(module !== undefined && { module }),
    createStorage: async (options) => {
      const storage = await plain.createStorage(options);
      return {
        ...storage,
        open: async (own) => encrypted((await storage.open(own)) as BundledStore, TEST_KEYS),
      };
    },
  };
}
