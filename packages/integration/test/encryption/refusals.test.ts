import file from '../../src/conformance/file.harness.js';
import memory from '../../src/conformance/memory.harness.js';
import postgres from '../../src/conformance/postgres.harness.js';
import redis from '../../src/conformance/redis.harness.js';
import sqlite from '../../src/conformance/sqlite.harness.js';
import webStorage from '../../src/conformance/web-storage.harness.js';
import { describeRefusals } from './support/describe-refusals.js';

for (const harness of [memory, file, sqlite, postgres, redis]) describeRefusals(harness);
describeRefusals(webStorage, { hasAllParts: false });
