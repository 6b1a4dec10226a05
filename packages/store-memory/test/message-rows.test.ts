import { describe, expect, it } from 'vitest';
import { MessageRows } from '../dist/message-rows.js';

/** `abc` as changed rows from `from` on. */
function rows(letters: string, from = 0) {
  return [...letters].map((text, index) => ({ index: from + index, text }));
}

describe('MessageRows', () => {
  it('shows each save its own version of a row', () => {
    const messages = new MessageRows();
    messages.write(1, rows('abc'));
    messages.write(2, rows('X', 1));
    messages.write(5, rows('Y', 1));
    expect([1, 2, 3, 4, 5, 6].map((save) => messages.textAt(1, save)).join('')).toBe('bXXXYY');
    expect(messages.textAt(2, 6)).toBe('c');
  });

  it('keeps a text once, however many saves show it', () => {
    const messages = new MessageRows();
    messages.write(1, rows('abc'));
    for (let save = 2; save <= 100; save++) messages.write(save, rows('m', save + 1));
    expect(messages.size).toBe(102);
  });

  it('forgets only what no kept save can see', () => {
    const messages = new MessageRows();
    messages.write(1, rows('abc'));
    messages.write(2, rows('X', 1));
    messages.cut(3, 1, 3);
    messages.forget(1);
    expect(messages.size).toBe(4);
    messages.forget(2);
    expect(messages.size).toBe(3);
    expect(messages.textAt(1, 2)).toBe('X');
    messages.forget(3);
    expect(messages.size).toBe(1);
    expect(messages.textAt(0, 3)).toBe('a');
  });

  it('is loud about a row that is missing', () => {
    expect(() => new MessageRows().textAt(0, 1)).toThrow('message 0 of save 1 is missing');
  });
});
