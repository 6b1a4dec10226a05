import { describe, it } from 'vitest';
import type { ConformanceHarness } from '../model/harness.js';
import type { Outcome } from '../model/outcome.js';
import type { Rule } from '../model/rule.js';
import { RULES } from '../rules/index.js';
import { probe } from '../run/probe.js';
import { limitOf, runRule } from '../run/run-rule.js';
import { passedOver } from '../run/select.js';
import { type ConformanceOptions, DEFAULT_TIME_LIMIT_MS, newSeed } from './run-conformance.js';

/**
 * Every rule that binds a store as a test of vitest's. Rules that the store does not claim are no tests; one that should run and cannot
 * is a test that fails. The seed stands in the name of the suite.
 */
export function describeConformance(
  harness: ConformanceHarness,
  options: Pick<ConformanceOptions, 'tier' | 'rules' | 'seed' | 'timeLimitMs' | 'catalogue'> = {},
): void {
  const {
    seed = newSeed(),
    timeLimitMs = DEFAULT_TIME_LIMIT_MS,
    tier = 0,
    rules,
    catalogue = RULES,
  } = options;
  describe(`${harness.name} (seed ${seed})`, async () => {
    const found = await probe(harness);
    for (const rule of catalogue) {
      const passed = passedOver(rule, found, { tier, ...(rules && { rules }) });
      if (passed && passed.kind !== 'not-run') continue;
      const limitMs = limitOf(rule, timeLimitMs);
      // The rule's own limit is the one that speaks.
      it.concurrent(`${rule.id} ${rule.says}`, { timeout: limitMs + 10_000 }, async () => {
        assertKept(
          rule,
          passed ?? (await runRule(rule, { harness, claims: found.claims, seed, timeLimitMs })),
        );
      });
    }
  });
}

function assertKept(rule: Rule, outcome: Outcome): void {
  if (outcome.kind === 'not-run') throw new Error(`${rule.id} could not run: ${outcome.reason}`);
  if (outcome.kind !== 'failed') return;
  throw new Error(`${rule.id}\npromised: ${outcome.promised}\nseen:     ${outcome.seen}`);
}
