export { errorOf, promise, promiseGranted, promiseRefusal, promiseSame, refusalOf } from './check/promise.js';
export { same } from './check/same.js';
export { show } from './check/show.js';
export { type ConformanceOptions, runConformance } from './front/run-conformance.js';
export { type Claims, claimsOf } from './model/claims.js';
export type {
  ConformanceHarness,
  ConformanceStorage,
  HarnessModule,
  StorageOptions,
} from './model/harness.js';
export { CLAIMS, LIMITS, METHODS, type Method, type Needs, SEAMS, type Seam } from './model/needs.js';
export type { Failure, Outcome, OutcomeKind } from './model/outcome.js';
export { type Check, type Rule, sentence, sentenceOf, type Tier } from './model/rule.js';
export { NotRun, Violation } from './model/violation.js';
export { type Certificate, type CertifiedRule, certificateOf, isKept } from './report/certificate.js';
export { failureTexts, type ReplayLine } from './report/failures.js';
export { htmlReport } from './report/html-report.js';
export { cellOf, familiesOf, matrix, outcomeTable } from './report/table.js';
export { textReport } from './report/text-report.js';
export { RULES } from './rules/index.js';
export { shortcomings } from './run/baseline.js';
export { type Probe, probe } from './run/probe.js';
export { type RuleRun, runRule } from './run/run-rule.js';
export type { RuleResult } from './run/run-rules.js';
export { passedOver } from './run/select.js';
export { approval, checkpoint, decision, ID, messages, TTL, user } from './world/builders.js';
export type { Client } from './world/client.js';
export type { Elsewhere } from './world/elsewhere.js';
export { derivedSeed, type Random, seeded } from './world/random.js';
export type { World, WorldStorage } from './world/world.js';
export { settled, until, type WorldClock, worldClock } from './world/world-clock.js';
