import { same } from '../../check/same.js';
import { type Inspection, isRefused, type Refused } from '../process/inspection.js';
import { allowedStates } from './allowed-states.js';
import type { JournalEntry } from './journal.js';
import { describeState, type StorageState } from './storage-state.js';

/** What processes did before something happened to the storage. */
export interface Before {
  /** The states in which it may be. */
  readonly states: readonly StorageState[];
  /** Whose epochs and effects must not come again. */
  readonly journal: readonly JournalEntry[];
  /** Whether its process has ended, and whoever looks can prove it. */
  readonly isProvablyOver: boolean;
}

/** What is wrong with what was found afterwards; `undefined` when nothing is. */
export function judge(
  { states, journal, isProvablyOver }: Before,
  inspection: Inspection,
): string | undefined {
  const { found, lease, tookBystander, failure, after } = inspection;
  const wrong = notOneOf(found, states);
  if (wrong !== undefined || isRefused(found)) return wrong;
  if (tookBystander) return 'the lease of an id whose holder lives was granted to another';
  if (isProvablyOver && lease && !lease.granted)
    return 'the id was refused although its holder has provably ended';
  if (lease?.epoch !== undefined && epochsOf(journal).some((epoch) => epoch >= (lease.epoch as number)))
    return `the epoch ${lease.epoch} was given out again`;
  if (failure !== undefined) return `the flow could not be run again: ${failure}`;
  const twice = effectsOf([...journal, ...inspection.journal]).find(
    (name, at, all) => all.indexOf(name) !== at,
  );
  if (twice !== undefined) return `the effect ${twice} came twice`;
  if (after === undefined) return undefined;
  const wrongAfter = notOneOf(after, allowedStates([found], inspection.journal));
  return wrongAfter && `after the flow was run again: ${wrongAfter}`;
}

export function notOneOf(
  found: StorageState | Refused,
  allowed: readonly StorageState[],
): string | undefined {
  if (isRefused(found)) return `it cannot be read: ${found.code ?? 'no code'}: ${found.message}`;
  if (allowed.some((state) => same(state, found))) return undefined;
  return `found ${describeState(found)}; promised ${[...new Set(allowed.map(describeState))].join(' or ')}`;
}

function epochsOf(journal: readonly JournalEntry[]): readonly number[] {
  const answers = journal.flatMap((entry) => (entry.k === 'answer' ? [entry.answer] : []));
  return answers.flatMap((answer) =>
    typeof answer === 'object' && answer !== null && 'epoch' in answer ? [answer.epoch as number] : [],
  );
}

function effectsOf(journal: readonly JournalEntry[]): readonly string[] {
  return journal.flatMap((entry) => (entry.k === 'effect' ? [entry.name] : []));
}
