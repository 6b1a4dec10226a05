import { BROKEN, EQUIVALENT, simulateMutant } from '@lousho/conformance/simulation';
import { describe, expect, it } from 'vitest';
import { failuresOf, isDeep } from './support.js';

/** Most are found in a fraction of the schedules that they are given. */
const LIMIT_MS = 120_000;

describe('the simulation', () => {
  it.each(BROKEN)(
    'finds $name within $within schedules',
    { timeout: LIMIT_MS },
    async ({ within, ...mutant }) => {
      const finding = await simulateMutant(mutant, { schedules: within });
      expect(finding).toMatchObject({ isFound: true });
    },
  );

  it.each(EQUIVALENT)('finds nothing in $name, which is as good as the reference', async (mutant) => {
    const finding = await simulateMutant(mutant, { schedules: isDeep ? 2_000 : 100 });
    expect(finding.isFound ? failuresOf([finding.failure]) : []).toEqual([]);
  });
});
