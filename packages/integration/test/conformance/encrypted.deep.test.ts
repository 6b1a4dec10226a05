import { describeConformance } from '@lousho/conformance/vitest';
import dynamodb from '../../src/conformance/dynamodb.harness.js';
import { encryptedHarness } from '../../src/conformance/encrypted-harness.js';
import file from '../../src/conformance/file.harness.js';
import kv from '../../src/conformance/kv.harness.js';
import postgres from '../../src/conformance/postgres.harness.js';
import redis from '../../src/conformance/redis.harness.js';
import webStorage from '../../src/conformance/web-storage.harness.js';

for (const plain of [file, postgres, redis, dynamodb, kv, webStorage]) {
  describeConformance(encryptedHarness(plain, {}), { tier: 1 });
}
