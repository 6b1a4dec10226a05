import type { JournalEntry } from './journal.js';
import type { Ids, StorageState } from './storage-state.js';

/** Every id that a state has or a journal names. */
export function idsOf(state: StorageState, journal: readonly JournalEntry[] = []): Ids {
  const named = (part: string) =>
    journal.flatMap((entry) => {
      if (entry.k !== 'call' || !entry.path.startsWith(`${part}.`)) return [];
      const [first] = entry.args as [string | { readonly id: string }];
      return [typeof first === 'string' ? first : first.id];
    });
  const all = (part: string, ...records: readonly object[]) => [
    ...new Set([...records.flatMap(Object.keys), ...named(part)]),
  ];
  return {
    checkpoints: all('checkpoints', state.checkpoints, state.histories),
    approvals: all('approvals', state.approvals),
    sessions: all('sessions', state.sessions),
  };
}

export function mergedIds(a: Ids, b: Ids): Ids {
  const both = (part: keyof Ids) => [...new Set([...a[part], ...b[part]])];
  return { checkpoints: both('checkpoints'), approvals: both('approvals'), sessions: both('sessions') };
}
