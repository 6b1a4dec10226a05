import { describeConformance } from '@lousho/conformance/vitest';
// As built: other processes load the module too.
import harness from '../../dist/conformance/memory.harness.js';
import { PATIENCE_MS } from '../../src/conformance/patience.js';

describeConformance(harness, { tier: 1, timeLimitMs: PATIENCE_MS });
