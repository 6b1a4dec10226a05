import { describeConformance } from '@lousho/conformance/vitest';
import dynamodb from '../../dist/conformance/dynamodb.harness.js';
// As built: other processes load the module too.
import { encryptedHarness } from '../../dist/conformance/encrypted.harness.js';
import file from '../../dist/conformance/file.harness.js';
import kv from '../../dist/conformance/kv.harness.js';
import postgres from '../../dist/conformance/postgres.harness.js';
import redis from '../../dist/conformance/redis.harness.js';
import webStorage from '../../dist/conformance/web-storage.harness.js';

for (const plain of [file, postgres, redis, dynamodb, kv, webStorage]) {
  describeConformance(encryptedHarness(plain), { tier: 1 });
}
