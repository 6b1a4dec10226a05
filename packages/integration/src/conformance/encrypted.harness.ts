import type { ConformanceHarness } from '@lousho/conformance';
import { type BundledStore, type EncryptionKeys, encrypted } from '@lousho/core';
import * as dynamodb from './dynamodb.harness.js';
import * as file from './file.harness.js';
import * as kv from './kv.harness.js';
import * as postgres from './postgres.harness.js';
import * as redis from './redis.harness.js';
import * as sqlite from './sqlite.harness.js';

/** Of the tests alone: a key that can be read here protects nothing. */
const KEYS: EncryptionKeys = { keys: { test: new Uint8Array(32).fill(7) }, writeKey: 'test' };
const REACHABLE = [file, sqlite, postgres, redis, dynamodb, kv];

/** The same storage behind encrypted clients. */
export function encryptedHarness(plain: ConformanceHarness): ConformanceHarness {
  const { module, ...rest } = plain;
  return {
    ...rest,
    name: `encrypted ${plain.name}`,
    ...(module !== undefined && { module: import.meta.url }),
    createStorage: async (options) => {
      const storage = await plain.createStorage(options);
      return {
        ...storage,
        // What no other process reaches is not reached by encryption either.
        ...(storage.config !== undefined && { config: { name: plain.name, config: storage.config } }),
        open: async (own) => encrypted((await storage.open(own)) as BundledStore, KEYS),
      };
    },
  };
}

export default encryptedHarness(sqlite.default);

export const openFromConfig = (given: unknown) => {
  const { name, config } = given as { name: string; config: unknown };
  const plain = REACHABLE.find((harness) => harness.default.name === name);
  if (!plain) throw new Error(`no other process reaches ${name}`);
  return encrypted(plain.openFromConfig(config), KEYS);
};
