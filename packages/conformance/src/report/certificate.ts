import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import type { Claims } from '../model/claims.js';
import type { ConformanceHarness } from '../model/harness.js';
import { OUTCOME_KINDS, type Outcome, type OutcomeKind } from '../model/outcome.js';
import { type Rule, sentenceOf, type Tier } from '../model/rule.js';
import { shortcomings } from '../run/baseline.js';
import type { Probe } from '../run/probe.js';
import type { RuleResult } from '../run/run-rules.js';

/** What a run of the kit found, for machines: plain JSON. */
export interface Certificate {
  /** The kit's version. */
  readonly kit: string;
  /** Which sentences there were: their number, and a digest of their texts. */
  readonly contract: { readonly sentences: number; readonly digest: string };
  readonly store: string;
  readonly versions: Readonly<Record<string, string>>;
  readonly claims: Claims;
  readonly methods: readonly string[];
  /** What the store lacks of the baseline. */
  readonly shortcomings: readonly string[];
  readonly tier: Tier;
  readonly seed: number;
  readonly machine: {
    readonly node: string;
    readonly platform: string;
    readonly arch: string;
    readonly cpus: number;
  };
  readonly startedAt: string;
  readonly ms: number;
  readonly counts: Readonly<Record<OutcomeKind, number>> & {
    /** Rules that bind this store: passed or failed. */
    readonly applied: number;
    /** Of those, under concurrency or a fault. */
    readonly underStress: number;
  };
  readonly rules: readonly CertifiedRule[];
}

export interface CertifiedRule extends Pick<Rule, 'id' | 'family' | 'says' | 'tier' | 'under'> {
  readonly outcome: Outcome;
}

export interface CertificateFacts {
  readonly harness: Pick<ConformanceHarness, 'name'>;
  readonly found: Probe;
  readonly results: readonly RuleResult[];
  readonly seed: number;
  readonly tier: Tier;
  readonly versions: Readonly<Record<string, string>>;
  readonly startedAt: Date;
}

export function certificateOf(facts: CertificateFacts): Certificate {
  const { found, results } = facts;
  return {
    kit: kitVersion(),
    contract: contractOf(results.map(({ rule }) => rule)),
    store: facts.harness.name,
    versions: facts.versions,
    claims: found.claims,
    methods: [...found.methods],
    shortcomings: shortcomings(found),
    tier: facts.tier,
    seed: facts.seed,
    machine: {
      node: process.version,
      platform: process.platform,
      arch: process.arch,
      cpus: availableParallelism(),
    },
    startedAt: facts.startedAt.toISOString(),
    ms: Date.now() - facts.startedAt.getTime(),
    counts: countsOf(results),
    rules: results.map(({ rule: { id, family, says, tier, under }, outcome }) => ({
      id,
      family,
      says,
      tier,
      ...(under && { under }),
      outcome,
    })),
  };
}

/** Whether every promise that the store makes was kept, and every rule that should have run did. */
export function isKept({ counts }: Certificate): boolean {
  return counts.failed === 0 && counts['not-run'] === 0;
}

function countsOf(results: readonly RuleResult[]): Certificate['counts'] {
  const count = (kind: OutcomeKind) => results.filter(({ outcome }) => outcome.kind === kind).length;
  const applied = results.filter(({ outcome }) => outcome.kind === 'passed' || outcome.kind === 'failed');
  const byKind = Object.fromEntries(OUTCOME_KINDS.map((kind) => [kind, count(kind)]));
  return {
    ...(byKind as Record<OutcomeKind, number>),
    applied: applied.length,
    underStress: applied.filter(({ rule }) => rule.under !== undefined).length,
  };
}

function contractOf(rules: readonly Rule[]): Certificate['contract'] {
  const sentences = new Map(rules.map(({ id, says }) => [sentenceOf(id), says]));
  const text = [...sentences].map(([id, says]) => `${id} ${says}`).join('\n');
  return { sentences: sentences.size, digest: createHash('sha256').update(text).digest('hex').slice(0, 12) };
}

function kitVersion(): string {
  const manifest = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(manifest) as { version: string }).version;
}
