import { describeConformance } from '@lousho/conformance/vitest';
// As built: other processes load the module too.
import harness from '../../dist/conformance/redis.harness.js';

describeConformance(harness, { tier: 1 });
