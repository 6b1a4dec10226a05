import { positiveInteger } from '@lousho/core/contract';
import type { ConformanceHarness } from '../model/harness.js';
import type { Rule, Tier } from '../model/rule.js';
import { type Certificate, certificateOf } from '../report/certificate.js';
import { RULES } from '../rules/index.js';
import { probe } from '../run/probe.js';
import { type RuleResult, runRules } from '../run/run-rules.js';

export interface ConformanceOptions {
  /** Rules up to this tier. Default 0: nothing but this process. */
  readonly tier?: Tier;
  /** Rules (`LEASE-13:processes`), sentences (`LEASE-13`) or families (`LEASE`). Default all. */
  readonly rules?: readonly string[];
  /** The same seed makes the same choices. Default: a new one, which the certificate names. */
  readonly seed?: number;
  /** Rules that run at once. Default 8. */
  readonly concurrency?: number;
  /** After so many milliseconds a rule counts as failed; some rules ask for more. Default 30,000. */
  readonly timeLimitMs?: number;
  readonly onOutcome?: (result: RuleResult) => void;
  /** In place of the kit's own rules. */
  readonly catalogue?: readonly Rule[];
}

/**
 * Holds a store to the contract, rule by rule, and says what became of each. Rejects only when the harness cannot give a storage;
 * a broken promise is a failed rule in the certificate.
 */
export async function runConformance(
  harness: ConformanceHarness,
  options: ConformanceOptions = {},
): Promise<Certificate> {
  const startedAt = new Date();
  const seed = options.seed ?? newSeed();
  const tier = options.tier ?? 0;
  const found = await probe(harness);
  const results = await runRules(options.catalogue ?? RULES, harness, found, {
    tier,
    seed,
    ...(options.rules && { rules: options.rules }),
    ...(options.onOutcome && { onOutcome: options.onOutcome }),
    concurrency: positiveInteger('concurrency', options.concurrency ?? 8),
    timeLimitMs: positiveInteger('timeLimitMs', options.timeLimitMs ?? DEFAULT_TIME_LIMIT_MS),
  });
  const versions = (await harness.versions?.()) ?? {};
  return certificateOf({ harness, found, results, seed, tier, versions, startedAt });
}

export const DEFAULT_TIME_LIMIT_MS = 30_000;

export function newSeed(): number {
  return Math.floor(Math.random() * 2 ** 31);
}
