import { type Explained, explainWindow, type Standing } from './explain-window.js';
import { FREE } from './lease-register.js';
import type { History, RecordedCall } from './recorded-call.js';
import { windowsOf } from './windows.js';

export type Verdict =
  | { readonly kind: 'linearizable'; readonly steps: number }
  | { readonly kind: 'violation'; readonly steps: number }
  /** Too much to decide: counts as failed. */
  | { readonly kind: 'undecided'; readonly reason: string; readonly steps: number };

export interface LinearizabilityOptions {
  /** Give up after so many tried calls. Default 1,000,000. */
  readonly maxSteps?: number;
  /** Longer histories are cut where nothing is under way. Default 1,200. */
  readonly maxCalls?: number;
}

const MAX_STEPS = 1_000_000;
const MAX_CALLS = 1_200;
/** Ways in which a window may have ended that are followed into the next one. */
const MAX_STANDINGS = 1_000;

/**
 * Whether the recorded lease and save calls of one id can have happened one after another, each at one moment between its call and
 * its return, on a store that keeps the contract. Only a renewal may do its two things at two moments.
 */
export function checkLinearizable(history: History, options: LinearizabilityOptions = {}): Verdict {
  const verdict = judge(history, options);
  if (verdict.kind !== 'violation') return verdict;
  const withHidden = judge({ ...history, calls: history.calls.flatMap(withHiddenEffect) }, options);
  return withHidden.kind === 'linearizable' ? withHidden : verdict;
}

/**
 * A renewal may prolong its lease and then, still unanswered, lose it: `false` is the right answer, and yet others have met a lease that
 * lived longer. So it counts twice: as one that may have happened, by its return at the latest, and as the answer.
 */
function withHiddenEffect(call: RecordedCall): readonly RecordedCall[] {
  const { operation } = call;
  if (operation.kind !== 'renew' || operation.answer !== false) return [call];
  return [{ ...call, operation: { ...operation, answer: 'unknown' } }, call];
}

/** Every call taken for one that does all at one moment. */
function judge(history: History, options: LinearizabilityOptions): Verdict {
  const { maxSteps = MAX_STEPS, maxCalls = MAX_CALLS } = options;
  const windows = windowsOf(history.calls, maxCalls);
  if (windows === null) {
    return { kind: 'undecided', reason: `no quiet moment within ${maxCalls} calls`, steps: 0 };
  }
  let standings: readonly Standing[] = [{ state: FREE, pending: [] }];
  let steps = 0;
  for (const [index, calls] of windows.entries()) {
    const isLast = index === windows.length - 1;
    const ends = new Map<string, Standing>();
    for (const standing of standings) {
      const explained: Explained = explainWindow(calls, standing, history, {
        maxSteps: maxSteps - steps,
        isLast,
      });
      steps += explained.steps;
      if (!explained.isDecided) return { kind: 'undecided', reason: `more than ${maxSteps} steps`, steps };
      for (const end of explained.standings) ends.set(keyOf(end), end);
      if (isLast && ends.size > 0) return { kind: 'linearizable', steps };
    }
    if (ends.size === 0) return { kind: 'violation', steps };
    if (ends.size > MAX_STANDINGS) {
      return { kind: 'undecided', reason: `more than ${MAX_STANDINGS} possible states`, steps };
    }
    standings = [...ends.values()];
  }
  return { kind: 'linearizable', steps };
}

function keyOf({ state, pending }: Standing): string {
  return `${state.key} ${pending.map(({ calledAt }) => calledAt).join()}`;
}
