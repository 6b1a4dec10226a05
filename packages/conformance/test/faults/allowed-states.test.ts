import { expect, it } from 'vitest';
import { allowedStates } from '../../src/faults/storage/allowed-states.js';
import type { JournalEntry } from '../../src/faults/storage/journal.js';
import { describeState, EMPTY_STATE } from '../../src/faults/storage/storage-state.js';

it('an acknowledged call took effect, a refused one did not, one without an answer did or did not', () => {
  expect(statesAfter(save(1), save(2, 'refused'), save(3, 'open'))).toEqual([
    'run@1 run[1]',
    'run@3 run[3,1]',
  ]);
});

it('a call whose outcome is unknown did or did not take effect, and repeating it adds nothing', () => {
  expect(statesAfter(save(1, 'unknown'), save(1))).toEqual(['run@1 run[1]']);
  expect(statesAfter(save(1), save(2, 'unknown'))).toEqual(['run@1 run[1]', 'run@2 run[2,1]']);
});

it('a fenced save and one that was refused without a code change nothing', () => {
  expect(statesAfter(save(1), save(2, 'fenced'))).toEqual(['run@1 run[1]']);
});

it('a delete takes the history along unless it is to be kept', () => {
  const deleted = (keepHistory: boolean) => call('checkpoints.delete', ['run', { keepHistory }], 'done');
  expect(statesAfter(save(1), deleted(false))).toEqual(['nothing']);
  expect(statesAfter(save(1), deleted(true), save(1))).toEqual(['run@1 run[1,1]']);
});

type Ending = 'done' | 'fenced' | 'refused' | 'unknown' | 'open';

function save(revision: number, ending: Ending = 'done') {
  const checkpoint = { sessionId: 'run', stepIndex: revision, revision, messages: [] };
  return call('checkpoints.saveIfLeased', ['run', checkpoint, 'worker-a'], ending);
}

function call(path: string, args: readonly unknown[], ending: Ending) {
  return (n: number): readonly JournalEntry[] => {
    const asked = { k: 'call', n, path, args } as const;
    if (ending === 'open') return [asked];
    if (ending === 'done' || ending === 'fenced')
      return [asked, { k: 'answer', n, answer: ending === 'done' }];
    const code = ending === 'unknown' ? 'LOUSHO_STORE_OUTCOME_UNKNOWN' : 'LOUSHO_STORAGE_FULL';
    return [asked, { k: 'refused', n, code, message: '' }];
  };
}

/** The possible states in words, each once. */
function statesAfter(...calls: readonly ((n: number) => readonly JournalEntry[])[]): readonly string[] {
  const journal = calls.flatMap((make, at) => make(at + 1));
  return [...new Set(allowedStates([EMPTY_STATE], journal).map(describeState))];
}
