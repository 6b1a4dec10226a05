import {
  type Certificate,
  type ConformanceHarness,
  certificateOf,
  type Outcome,
  passedOver,
  probe,
  RULES,
} from '@lousho/conformance';

/** The certificate of a run of tiers 0 and 1 in which every rule that binds the store passes: whether it does, the tests say. */
export async function expectedCertificate(harness: ConformanceHarness): Promise<Certificate> {
  const found = await probe(harness);
  const passed: Outcome = { kind: 'passed', ms: 0 };
  const results = RULES.map((rule) => ({ rule, outcome: passedOver(rule, found, { tier: 1 }) ?? passed }));
  const versions = (await harness.versions?.()) ?? {};
  return certificateOf({ harness, found, results, seed: 0, tier: 1, versions, startedAt: new Date() });
}
