import { changedRows, type LogWrite } from '@lousho/core/contract';
import { describe, expect, it } from 'vitest';

/** A write of one row per letter, which fails when a row is read that was vouched for. */
function write(letters: string, fields: Partial<LogWrite> = {}): LogWrite {
  return {
    sessionId: 'refund-42',
    owner: undefined,
    revision: 2,
    status: 'in-progress',
    step: 1,
    head: '{}',
    messageCount: letters.length,
    unchangedMessages: 0,
    savedAt: 0,
    row: (index) => letters[index] ?? '?',
    ...fields,
  };
}

function stored(letters: string, revision: number | undefined = 1) {
  return { revision, count: letters.length, row: (index: number) => letters[index] ?? '?' };
}

function changed(...args: Parameters<typeof changedRows>): string {
  return changedRows(...args)
    .map(({ index, text }) => `${index}${text}`)
    .join(' ');
}

describe('changedRows', () => {
  it.each([
    ['nothing is stored', 'abc', null, '0a 1b 2c'],
    ['it continues', 'abcd', stored('ab'), '2c 3d'],
    ['nothing changed', 'ab', stored('ab'), ''],
    ['it shrinks', 'a', stored('abc'), ''],
    ['the middle changes', 'aXc', stored('abc'), '1X'],
    ['it is empty', '', stored('abc'), ''],
  ])('when %s, writes what is not stored with the same text', (_, letters, before, rows) => {
    expect(changed(write(letters), before)).toBe(rows);
  });

  it('does not look at what is vouched for', () => {
    const vouched = write('abcd', {
      unchangedMessages: 3,
      row: (index) => {
        if (index < 3) throw new Error('a vouched row was read');
        return 'd';
      },
    });
    expect(changed(vouched, stored('abc'))).toBe('3d');
  });

  it.each([
    ['another revision is stored', stored('abc', 5), 2],
    ['the same revision is stored', stored('abc', 2), 2],
    ['the stored one has none', { ...stored('abc'), revision: undefined }, 2],
    ['the saved one has none', stored('abc'), undefined],
  ])('disregards the vouching when %s', (_, before, revision) => {
    expect(changed(write('xyz', { revision, unchangedMessages: 3 }), before)).toBe('0x 1y 2z');
  });

  it('disregards the vouching when nothing is stored', () => {
    expect(changed(write('xyz', { unchangedMessages: 3 }), null)).toBe('0x 1y 2z');
  });

  it('writes what is vouched for beyond what is stored', () => {
    expect(changed(write('abcd', { unchangedMessages: 4 }), stored('ab'))).toBe('2c 3d');
  });
});
