import { describeConformance } from '@lousho/conformance/vitest';
// As built: other processes load the module too.
import sqlite, { encryptedHarness } from '../../dist/conformance/encrypted.harness.js';
import memory from '../../dist/conformance/memory.harness.js';

describeConformance(encryptedHarness(memory), { tier: 1 });
describeConformance(sqlite, { tier: 1 });
