import { readFileSync } from 'node:fs';
import { probe, RULES, shortcomings } from '@lousho/conformance';
import { describe, expect, it } from 'vitest';
import { conformancePage } from '../../src/conformance/conformance-page.js';
import { expectedCertificate } from '../../src/conformance/expected-certificate.js';
import { withGuarantees } from '../../src/conformance/guarantee-table.js';
import { HARNESSES } from '../../src/conformance/stores.js';

describe('docs/guarantees.md', () => {
  it('says which store keeps which guarantee', async () => {
    const page = readFileSync(new URL('../../../../docs/guarantees.md', import.meta.url), 'utf8');
    const certificates = await Promise.all(HARNESSES.map(expectedCertificate));
    expect(page).toContain('| consume once | ');
    // `npm run conformance -- docs` writes it.
    expect(page).toBe(withGuarantees(page, certificates));
  });
});

describe('docs/conformance.md', () => {
  it('is what the stores declare and the rules make of it', async () => {
    const page = readFileSync(new URL('../../../../docs/conformance.md', import.meta.url), 'utf8');
    const certificates = await Promise.all(HARNESSES.map(expectedCertificate));
    // `npm run conformance -- docs` writes it.
    expect(page).toBe(conformancePage(certificates));
  });

  it('is about at least 150 rules for each strong store, at least 40 of them under concurrency or a fault', async () => {
    expect(RULES.length).toBeGreaterThan(150);
    for (const harness of HARNESSES) {
      const found = await probe(harness);
      const isStrong = found.claims.fencing === 'atomic';
      const { counts } = await expectedCertificate(harness);
      if (!isStrong) expect(shortcomings(found)).not.toEqual([]);
      else {
        expect(counts.applied).toBeGreaterThanOrEqual(150);
        expect(counts.underStress).toBeGreaterThanOrEqual(40);
      }
    }
  });
});
