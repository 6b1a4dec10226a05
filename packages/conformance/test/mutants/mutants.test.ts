import { type CertifiedRule, RULES } from '@lousho/conformance';
import { CONTROLS, MUTANTS, runControl, runMutant, verdictOf } from '@lousho/conformance/mutants';
import { describe, expect, it } from 'vitest';

const SEEDS = [1, 2, 3];
/** Runs of agents; the command holds the controls to them. */
const OF_RUNS = ['RUN', 'PREFIX', 'EFFECT', 'FORK', 'VALIDITY', 'CONSUME', 'RECOVERY'];
const catalogue = RULES.filter(({ family }) => !OF_RUNS.includes(family));

describe('every rule that a mutant names sees it, by an assertion', () => {
  it.each(MUTANTS.map((mutant) => [mutant.name, mutant] as const))('%s', async (_name, mutant) => {
    for (const seed of SEEDS) {
      const { verdicts } = await runMutant(mutant, { seed });
      expect(verdicts.filter(({ isKill }) => !isKill)).toEqual([]);
      expect(verdicts).toHaveLength(mutant.killedBy.length);
    }
  });

  it('there are more than the 55 of the store that is broken in each known way', () => {
    expect(MUTANTS.length).toBeGreaterThanOrEqual(56);
    expect(new Set(MUTANTS.map(({ name }) => name)).size).toBe(MUTANTS.length);
  });
});

describe('no rule fails a store that is right', () => {
  it.each(CONTROLS.map((control) => [control.name, control] as const))('%s', async (_name, control) => {
    for (const seed of SEEDS) expect(await runControl(control, { seed, catalogue })).toEqual([]);
  });

  it('not either where runs live on leases that are renewed late', async () => {
    const control = CONTROLS.find(({ name }) => name === 'renews-late');
    if (!control) throw new Error('there is one');
    const ofLeases = RULES.filter(({ family }) => ['EFFECT', 'RECOVERY', 'CONSUME'].includes(family));
    expect(await runControl(control, { seed: 1, catalogue: ofLeases })).toEqual([]);
  });
});

describe('what counts as a kill', () => {
  const failed = (because: 'violation' | 'error' | 'unsettled'): CertifiedRule => ({
    id: 'LEASE-01',
    family: 'LEASE',
    says: 'A free id is granted.',
    tier: 0,
    outcome: { kind: 'failed', because, promised: 'a lease', seen: 'none', ms: 1 },
  });

  it('a broken promise does', () => {
    expect(verdictOf('LEASE-01', [failed('violation')]).isKill).toBe(true);
  });

  it.each(['error', 'unsettled'] as const)('a rule that fails by %s does not', (because) => {
    expect(verdictOf('LEASE-01', [failed(because)]).isKill).toBe(false);
  });

  it('a rule that does not exist, passes or cannot run does not', () => {
    const passed: CertifiedRule = { ...failed('violation'), outcome: { kind: 'passed', ms: 1 } };
    const notRun: CertifiedRule = { ...passed, outcome: { kind: 'not-run', reason: 'no clock' } };
    expect(verdictOf('LEASE-99', [passed])).toMatchObject({ isKill: false, seen: 'there is no such rule' });
    expect(verdictOf('LEASE-01', [passed])).toMatchObject({ isKill: false, seen: 'passed' });
    expect(verdictOf('LEASE-01', [notRun])).toMatchObject({ isKill: false, seen: 'not-run' });
  });
});
