import { describeConformance } from '@lousho/conformance/vitest';
import memory from '../../dist/conformance/encrypted-memory.harness.js';
// As built: other processes load the module too.
import sqlite from '../../dist/conformance/encrypted-sqlite.harness.js';

describeConformance(memory, { tier: 1 });
describeConformance(sqlite, { tier: 1 });
