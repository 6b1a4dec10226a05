import type { Claims } from '../model/claims.js';
import type { ConformanceHarness } from '../model/harness.js';
import type { Failure, Outcome } from '../model/outcome.js';
import type { Rule } from '../model/rule.js';
import { NotRun, Violation } from '../model/violation.js';
import { derivedSeed } from '../world/random.js';
import { createWorld } from '../world/world.js';

export interface RuleRun {
  readonly harness: ConformanceHarness;
  readonly claims: Claims;
  /** The run's seed; each rule's own follows from it. */
  readonly seed: number;
  /** Milliseconds; a rule that asks for more gets more. */
  readonly timeLimitMs: number;
}

/** Runs one rule in a world of its own. Never rejects. */
export async function runRule(rule: Rule, run: RuleRun): Promise<Outcome> {
  const startedAt = performance.now();
  const elapsed = () => Math.round(performance.now() - startedAt);
  const limitMs = limitOf(rule, run.timeLimitMs);
  const limit = timeLimit(limitMs);
  try {
    const { world, dispose } = await createWorld({ ...run, seed: derivedSeed(run.seed, rule.id) });
    const checked = rule.check(world).then(
      (): Outcome => ({ kind: 'passed', ms: elapsed() }),
      (error: unknown) => outcomeOf(error, rule, elapsed()),
    );
    const outcome = await Promise.race([
      checked,
      limit.reached.then(() => unsettled(rule, limitMs, elapsed())),
    ]);
    const ending = dispose().then(
      () => outcome,
      (error: unknown) => (outcome.kind === 'passed' ? outcomeOf(error, rule, elapsed()) : outcome),
    );
    // A store that hangs may hang at its end too.
    return await Promise.race([ending, limit.reached.then(() => unsettled(rule, limitMs, elapsed()))]);
  } catch (error) {
    return outcomeOf(error, rule, elapsed());
  } finally {
    limit.cancel();
  }
}

/** When a rule counts as failed: the longer of what it asks for and what the run gives. */
export function limitOf({ timeLimitMs = 0 }: Rule, givenMs: number): number {
  return Math.max(timeLimitMs, givenMs);
}

function outcomeOf(error: unknown, rule: Rule, ms: number): Outcome {
  if (error instanceof NotRun) return { kind: 'not-run', reason: error.reason };
  if (error instanceof Violation) {
    return { kind: 'failed', because: 'violation', promised: error.promised, seen: error.seen, ms };
  }
  return { kind: 'failed', because: 'error', promised: rule.says, seen: `a call failed: ${told(error)}`, ms };
}

/** What failed and why: a store's own error names the driver's as its cause. */
function told(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const text = error.stack ?? error.message;
  return error.cause === undefined ? text : `${text}\ncaused by: ${told(error.cause)}`;
}

function unsettled(rule: Rule, limitMs: number, ms: number): Failure {
  const seen = `it did not settle within ${limitMs} ms`;
  return { kind: 'failed', because: 'unsettled', promised: rule.says, seen, ms };
}

function timeLimit(ms: number): { readonly reached: Promise<void>; cancel(): void } {
  let timer: NodeJS.Timeout | undefined;
  const reached = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  return { reached, cancel: () => clearTimeout(timer) };
}
