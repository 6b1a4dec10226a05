import { assertApprovalId, assertRunId, assertStoreKey, compareIds, isStoreKey } from '@lousho/core/contract';
import { describe, expect, it } from 'vitest';

function codeOf(call: () => void): string | undefined {
  try {
    call();
    return undefined;
  } catch (error) {
    return (error as { code: string }).code;
  }
}

const RUN = 1;
const KEY = 2;
const APPROVAL = 4;

/** Which of the three kinds of id a text can be. */
const TABLE: readonly [id: unknown, kinds: number, note?: string][] = [
  ['a', RUN | KEY | APPROVAL],
  ['A-z_0.9', RUN | KEY | APPROVAL],
  ['-', RUN | KEY | APPROVAL],
  ['a..b', RUN | KEY | APPROVAL],
  ['trip.fork-1', RUN | KEY | APPROVAL],
  ['x'.repeat(200), RUN | KEY | APPROVAL, '200 characters'],
  ['x'.repeat(201), KEY, '201 characters'],
  ['x'.repeat(240), KEY, '240 characters'],
  ['x'.repeat(241), 0, '241 characters'],
  ['chat.turn-3', KEY | APPROVAL],
  ['chat.turn-', RUN | KEY | APPROVAL],
  ['chat.turn-3x', RUN | KEY | APPROVAL],
  ['chat.turn-3.x', RUN | KEY | APPROVAL],
  ['chatturn-3', RUN | KEY | APPROVAL],
  ['chat.task-3-0', KEY | APPROVAL],
  ['chat.task-3-0.task-1-2', KEY | APPROVAL],
  ['chat.task-3', RUN | KEY | APPROVAL],
  ['chat.paused', KEY | APPROVAL],
  ['paused', RUN | KEY | APPROVAL],
  ['nightly.fire', KEY | APPROVAL],
  ['nightly.Fire', RUN | KEY | APPROVAL],
  ['', 0],
  ['.', 0],
  ['..', 0],
  ['.a', 0],
  ['a.', 0],
  ['../evil', 0],
  ['a/b', 0],
  ['a\\b', 0],
  ['C:a', 0],
  ['a b', 0],
  ['a\n', 0, 'a newline at the end'],
  ['a\u0000', 0],
  ['ä', 0],
  ['a\u0301', 0],
  ['\u{1f600}', 0],
  ['a%2Fb', 0],
  ['a*', 0],
  [7, 0],
  [null, 0],
  [undefined, 0],
  [['a'], 0],
  [{ toString: () => 'a' }, 0],
];

describe('ids', () => {
  it.each(TABLE)('%j is exactly the kinds of id that it can be', (id, kinds) => {
    expect(codeOf(() => assertRunId(id))).toBe(kinds & RUN ? undefined : 'LOUSHO_SESSION_ID_INVALID');
    expect(codeOf(() => assertStoreKey(id))).toBe(kinds & KEY ? undefined : 'LOUSHO_SESSION_ID_INVALID');
    expect(isStoreKey(id)).toBe(Boolean(kinds & KEY));
    expect(codeOf(() => assertApprovalId(id))).toBe(
      kinds & APPROVAL ? undefined : 'LOUSHO_APPROVAL_ID_INVALID',
    );
  });

  it('a run id leaves room for what the SDK appends to it', () => {
    const longest = 'x'.repeat(200);
    for (const ending of ['.turn-1234567890', '.paused', '.fire', '.fork-1234567890']) {
      expect(isStoreKey(longest + ending)).toBe(true);
    }
  });

  it('a refusal shows the actual value, shortened', () => {
    expect(() => assertRunId('a b')).toThrow(/letters, digits, `_`, `-` and `\.`, got `a b`/);
    expect(() => assertRunId('x'.repeat(201))).toThrow(/1-200 characters, got 201/);
    expect(() => assertRunId('chat.turn-3')).toThrow(/reserved endings/);
    expect(() => assertRunId(`/${'x'.repeat(150)}`)).toThrow(/x…/);
  });

  it('are ordered by code point', () => {
    const ids = ['-', '.x', '0', '10', '9', 'A', 'Z', '_', 'a', 'a-b', 'a.b', 'ab'];
    expect([...ids].reverse().sort(compareIds)).toEqual(ids);
    expect(compareIds('a', 'a')).toBe(0);
  });
});
