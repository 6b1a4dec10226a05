import type { ApprovalDecision, ApprovalRecord, Checkpoint, Message } from '@lousho/core/contract';
import type { JournalEntry } from './journal.js';
import type { StorageState } from './storage-state.js';

/** A state and who saved each checkpoint in it, by which a repeated save is known (FENCE-07). */
interface Possible {
  readonly state: StorageState;
  readonly savedBy: Readonly<Record<string, string>>;
}

/** Codes that leave open whether the call took effect. */
const UNKNOWN = 'LOUSHO_STORE_OUTCOME_UNKNOWN';

/**
 * The states in which a storage may be found after a process did this to it: every acknowledged call took effect, a refused one did
 * not, and one without an answer did or did not. Nothing in between.
 */
export function allowedStates(
  before: readonly StorageState[],
  journal: readonly JournalEntry[],
  historyLimit = 50,
): readonly StorageState[] {
  const outcomes = new Map<number, boolean | undefined>();
  for (const entry of journal) {
    if (entry.k === 'answer') outcomes.set(entry.n, entry.answer !== false);
    if (entry.k === 'refused') outcomes.set(entry.n, entry.code === UNKNOWN ? undefined : false);
  }
  let possible: readonly Possible[] = before.map((state) => ({ state, savedBy: {} }));
  for (const entry of journal) {
    if (entry.k !== 'call') continue;
    const outcome = outcomes.get(entry.n);
    possible = possible.flatMap((each) => {
      const after = afterCall(each, entry.path, entry.args, historyLimit);
      return outcome === undefined ? [each, after] : [outcome ? after : each];
    });
  }
  return possible.map(({ state }) => state);
}

function afterCall(before: Possible, path: string, args: readonly unknown[], historyLimit: number): Possible {
  const { state } = before;
  const id = args[0] as string;
  switch (path) {
    case 'checkpoints.save':
      return saved(before, args[1] as Checkpoint, '', historyLimit);
    case 'checkpoints.saveIfLeased':
      return saved(before, args[1] as Checkpoint, args[2] as string, historyLimit);
    case 'checkpoints.delete': {
      const { keepHistory } = (args[1] ?? {}) as { keepHistory?: boolean };
      const histories = keepHistory ? state.histories : without(state.histories, id);
      return {
        state: { ...state, checkpoints: without(state.checkpoints, id), histories },
        savedBy: without(before.savedBy, id),
      };
    }
    case 'sessions.saveIf':
      return { ...before, state: { ...state, sessions: { ...state.sessions, [id]: args[2] as Message[] } } };
    case 'sessions.delete':
      return { ...before, state: { ...state, sessions: without(state.sessions, id) } };
    case 'approvals.save': {
      const [approval, snapshot] = args as [ApprovalRecord['approval'], ApprovalRecord['snapshot']];
      if (state.approvals[approval.id]?.decision) return before;
      return withApproval(before, { approval, snapshot });
    }
    case 'approvals.decide': {
      const asked = state.approvals[id];
      return !asked || asked.decision
        ? before
        : withApproval(before, { ...asked, decision: args[1] as ApprovalDecision });
    }
    case 'approvals.delete':
      return { ...before, state: { ...state, approvals: without(state.approvals, id) } };
    default:
      return before;
  }
}

function saved(before: Possible, checkpoint: Checkpoint, owner: string, historyLimit: number): Possible {
  const { state, savedBy } = before;
  const id = checkpoint.sessionId;
  const stored = state.checkpoints[id];
  const isRepeated =
    owner !== '' && savedBy[id] === owner && (checkpoint.revision ?? Infinity) <= (stored?.revision ?? 0);
  if (isRepeated) return before;
  const history = [checkpoint, ...(state.histories[id] ?? [])].slice(0, historyLimit);
  return {
    state: {
      ...state,
      checkpoints: { ...state.checkpoints, [id]: checkpoint },
      histories: historyLimit === 0 ? state.histories : { ...state.histories, [id]: history },
    },
    savedBy: { ...savedBy, [id]: owner },
  };
}

function withApproval(before: Possible, record: ApprovalRecord): Possible {
  const { state } = before;
  return { ...before, state: { ...state, approvals: { ...state.approvals, [record.approval.id]: record } } };
}

function without<T>(record: Readonly<Record<string, T>>, id: string): Readonly<Record<string, T>> {
  const { [id]: _, ...rest } = record;
  return rest;
}
