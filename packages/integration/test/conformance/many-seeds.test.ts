import { runConformance } from '@lousho/conformance';
import { describe, expect, it } from 'vitest';
import { PATIENCE_MS } from '../../src/conformance/patience.js';
import { HARNESSES } from '../../src/conformance/stores.js';

const SEEDS = process.env.DEEP === '1' ? 40 : 2;
/** Those that choose at random. */
const RULES = ['FIDELITY-01', 'CHECKPOINT-11', 'HISTORY-06', 'FENCE-12'];

describe(`the rules that choose at random, with ${SEEDS} seeds`, () => {
  it.each(HARNESSES.map((harness) => [harness.name, harness] as const))(
    'hold on %s',
    // Twice as many rules as run at once: their own limits are the ones that speak.
    { timeout: SEEDS * 2 * PATIENCE_MS },
    async (_, harness) => {
      for (let round = 0; round < SEEDS; round++) {
        const { rules, seed } = await runConformance(harness, { rules: RULES, timeLimitMs: PATIENCE_MS });
        const failed = rules.filter(({ outcome }) => outcome.kind === 'failed');
        expect(failed, `seed ${seed}`).toEqual([]);
      }
    },
  );
});
