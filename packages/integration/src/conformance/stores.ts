import type { ConformanceHarness } from '@lousho/conformance';
import dynamodb from './dynamodb.harness.js';
import file from './file.harness.js';
import kv from './kv.harness.js';
import memory from './memory.harness.js';
import postgres from './postgres.harness.js';
import redis from './redis.harness.js';
import sqlite from './sqlite.harness.js';
import webStorage from './web-storage.harness.js';

/** Our stores, in the order of the reports. */
export const HARNESSES: readonly ConformanceHarness[] = [
  memory,
  file,
  sqlite,
  postgres,
  redis,
  dynamodb,
  kv,
  webStorage,
];
