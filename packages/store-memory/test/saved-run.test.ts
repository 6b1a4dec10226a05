import type { LogWrite } from '@lousho/core/contract';
import { describe, expect, it } from 'vitest';
import { SavedRun } from '../dist/saved-run.js';

function write(revision: number, letters: string): LogWrite {
  return {
    sessionId: 'refund-42',
    owner: undefined,
    revision,
    status: 'in-progress',
    step: 1,
    head: '{}',
    messageCount: letters.length,
    unchangedMessages: 0,
    savedAt: 0,
    row: (index) => letters[index] ?? '?',
  };
}

describe('SavedRun', () => {
  it('keeps as many texts as its kept saves can show', () => {
    const run = new SavedRun();
    for (const [index, letters] of ['abcdef', 'abc', 'abX', 'ab'].entries())
      run.add(write(index + 1, letters), 2);
    expect(run.history(9).map(({ rows }) => rows.join(''))).toEqual(['ab', 'abX']);
    expect(run.rows.size).toBe(3);
    run.add(write(5, 'a'), 2);
    run.add(write(6, 'a'), 2);
    expect(run.rows.size).toBe(1);
  });

  it('does not grow with saves that change the same message', () => {
    const run = new SavedRun();
    for (let revision = 1; revision <= 500; revision++) run.add(write(revision, `a${revision % 10}`), 3);
    expect(run.rows.size).toBeLessThanOrEqual(1 + 3);
  });

  it('keeps nothing of a deleted checkpoint that no history shows', () => {
    const run = new SavedRun();
    run.add(write(1, 'abcdef'), 0);
    run.dropLatest();
    expect(run.isEmpty).toBe(true);
    expect(run.rows.size).toBe(0);
  });

  it('forgets a history by age and leaves the later saves readable', () => {
    const run = new SavedRun();
    run.add({ ...write(1, 'abc'), savedAt: 10 }, 5);
    run.add({ ...write(2, 'aXc'), savedAt: 20 }, 5);
    run.dropLatest();
    run.dropHistoryBefore(20);
    expect(run.history(9).map(({ rows }) => rows.join(''))).toEqual(['aXc']);
    expect(run.rows.size).toBe(3);
  });
});
