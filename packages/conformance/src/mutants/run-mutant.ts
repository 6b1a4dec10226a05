import { runConformance } from '../front/run-conformance.js';
import type { Rule } from '../model/rule.js';
import type { CertifiedRule } from '../report/certificate.js';
import type { Control, Mutant } from './mutant.js';
import { mutantHarness } from './mutant-harness.js';

/** What became of a mutant. */
export interface MutantRun {
  readonly mutant: Mutant;
  /** Whether each rule that it names saw it, by an assertion. */
  readonly isKilled: boolean;
  /** Each rule that it names, and why it does not count when it does not. */
  readonly verdicts: readonly Verdict[];
  readonly ms: number;
}

/** What a rule made of a mutant. */
export interface Verdict {
  readonly rule: string;
  readonly seen: string;
  readonly isKill: boolean;
}

export interface MutantOptions {
  readonly seed: number;
  readonly catalogue?: readonly Rule[];
}

/** Holds a mutant to the rules that it names. Never rejects for what the mutant does. */
export async function runMutant(mutant: Mutant, { seed, catalogue }: MutantOptions): Promise<MutantRun> {
  const startedAt = performance.now();
  const { rules } = await runConformance(mutantHarness(mutant), {
    rules: mutant.killedBy,
    seed,
    ...(catalogue && { catalogue }),
  });
  const verdicts = mutant.killedBy.map((rule) => verdictOf(rule, rules));
  return {
    mutant,
    isKilled: verdicts.length > 0 && verdicts.every(({ isKill }) => isKill),
    verdicts,
    ms: Math.round(performance.now() - startedAt),
  };
}

/** The rules that fail a control; none, when the kit is well. */
export async function runControl(
  control: Control,
  { seed, catalogue }: MutantOptions,
): Promise<readonly CertifiedRule[]> {
  const { rules } = await runConformance(mutantHarness(control), { seed, ...(catalogue && { catalogue }) });
  return rules.filter(({ outcome }) => outcome.kind === 'failed');
}

/** A time-out, an error and a rule that did not run are no kill: they say nothing about what the rule looks for. */
export function verdictOf(rule: string, rules: readonly Pick<CertifiedRule, 'id' | 'outcome'>[]): Verdict {
  const found = rules.find(({ id }) => id === rule);
  if (!found) return { rule, seen: 'there is no such rule', isKill: false };
  const { outcome } = found;
  if (outcome.kind === 'failed') {
    return { rule, seen: outcome.seen, isKill: outcome.because === 'violation' };
  }
  return { rule, seen: outcome.kind, isKill: false };
}
