import { referenceHarness } from '@lousho/conformance/reference';
import { describeConformance } from '@lousho/conformance/vitest';

describeConformance(referenceHarness(), { tier: 1 });
describeConformance(referenceHarness({ name: 'reference with grace', graceMs: 30_000 }), {
  rules: ['LEASE', 'FENCE', 'PRUNE', 'RUN', 'EFFECT'],
});
