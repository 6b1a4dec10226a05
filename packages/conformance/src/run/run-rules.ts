import type { ConformanceHarness } from '../model/harness.js';
import type { Outcome } from '../model/outcome.js';
import type { Rule } from '../model/rule.js';
import type { Probe } from './probe.js';
import { runRule } from './run-rule.js';
import { type Asked, passedOver } from './select.js';

export interface RulesRun extends Asked {
  readonly seed: number;
  /** How many rules run at once. */
  readonly concurrency: number;
  readonly timeLimitMs: number;
  /** Each outcome as soon as it is there. */
  readonly onOutcome?: (result: RuleResult) => void;
}

export interface RuleResult {
  readonly rule: Rule;
  readonly outcome: Outcome;
}

/** Runs rules, so many at once, and answers in their order. */
export async function runRules(
  rules: readonly Rule[],
  harness: ConformanceHarness,
  found: Probe,
  run: RulesRun,
): Promise<readonly RuleResult[]> {
  const results: RuleResult[] = [];
  const queue = rules.entries();
  const work = async () => {
    for (const [index, rule] of queue) {
      const outcome =
        passedOver(rule, found, run) ??
        (await runRule(rule, {
          harness,
          claims: found.claims,
          seed: run.seed,
          timeLimitMs: run.timeLimitMs,
        }));
      results[index] = { rule, outcome };
      run.onOutcome?.({ rule, outcome });
    }
  };
  await Promise.all(Array.from({ length: run.concurrency }, work));
  return results;
}
