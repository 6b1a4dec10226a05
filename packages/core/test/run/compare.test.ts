import { compareTrajectories, type TrajectoryComparison } from '@lousho/core';
import type { Checkpoint, Message } from '@lousho/core/contract';
import { describe, expect, it } from 'vitest';
import { result, saying, user } from './support.js';

function asks(id: string, name: string, args: unknown = {}): Message {
  const text = typeof args === 'string' ? args : JSON.stringify(args);
  return {
    role: 'assistant',
    content: '',
    toolCalls: [{ id, type: 'function', function: { name, arguments: text } }],
  };
}

const step = (id: string, name = id, args: unknown = {}, content = `"${id}"`): Message[] => [
  asks(id, name, args),
  { ...result(id, content), toolName: name },
];

/** One line for a comparison: where, what of the fields, and the alignment as `a-b`. */
function outline({ divergedAt, drift, aligned }: TrajectoryComparison): string {
  const pairs = aligned.map(({ a, b }) => `${a ?? ''}-${b ?? ''}`).join(' ');
  return `${divergedAt} [${drift.map(({ field }) => field).join(',')}] ${pairs}`;
}

const GO = user('Go');
const ORIGINAL = [GO, ...step('weather'), ...step('book'), saying('done')];

describe('two runs side by side', () => {
  it.each<[string, readonly Message[], readonly Message[], string]>([
    ['C18 equal', ORIGINAL, ORIGINAL, 'null [] 0-0 1-1 2-2'],
    ['C18 empty', [], [], 'null [] '],
    ['C17 equal but for the ids', ORIGINAL, ORIGINAL.map(renamed), 'null [] 0-0 1-1 2-2'],
    [
      'C17 a patched result at step 1',
      ORIGINAL,
      [GO, ...step('weather', 'weather', {}, '"rain"'), ...step('book'), saying('done')],
      '1 [] 0- -0 1-1 2-2',
    ],
    [
      'C17 more input after step 1',
      ORIGINAL,
      [GO, ...step('weather'), user('Hurry'), ...step('book', 'book', { fast: true }), saying('done')],
      '2 [args] 0-0 1- -1 2-2',
    ],
    ['C17 the first two of three steps', ORIGINAL, ORIGINAL.slice(0, 5), '3 [steps] 0-0 1-1 2-'],
    [
      'C19 arguments in another order',
      [GO, ...step('book', 'book', { a: 1, b: { c: 2, d: 3 } })],
      [GO, ...step('book', 'book', '{ "b": {"d":3, "c":2}, "a":1 }')],
      'null [] 0-0',
    ],
    [
      'one step more in the middle does not make the later ones differ',
      ORIGINAL,
      [GO, ...step('weather'), ...step('hotel'), ...step('book'), saying('done')],
      '2 [tools,steps] 0-0 -1 1-2 2-3',
    ],
    [
      'another tool',
      ORIGINAL,
      [GO, ...step('weather'), ...step('hotel'), saying('done')],
      '2 [tools] 0-0 1- -1 2-2',
    ],
    ['another text', ORIGINAL, [...ORIGINAL.slice(0, -1), saying('well done')], '3 [] 0-0 1-1 2- -2'],
    ['a call without a result', ORIGINAL.slice(0, 3), ORIGINAL.slice(0, 2), '1 [] 0- -0'],
    ['arguments that are no JSON', [GO, asks('a', 'a', '{"no')], [GO, asks('a', 'a', '{"no')], 'null [] 0-0'],
    [
      'a result that is null, and none',
      [GO, ...step('a', 'a', {}, 'null')],
      [GO, asks('a', 'a')],
      '1 [] 0- -0',
    ],
  ])('%s', (_, a, b, wanted) => {
    expect(outline(compareTrajectories(a, b))).toBe(wanted);
  });

  it('has the steps of each: text, calls, arguments and results as values', () => {
    const { a } = compareTrajectories(ORIGINAL, []);
    expect(a).toEqual([
      { text: '', tools: [{ id: 'weather', name: 'weather', args: {}, result: 'weather' }] },
      { text: '', tools: [{ id: 'book', name: 'book', args: {}, result: 'book' }] },
      { text: 'done', tools: [] },
    ]);
  });

  it('tells drift from the first to the second run', () => {
    const { drift } = compareTrajectories(ORIGINAL, [GO, ...step('book', 'book', { n: 2 })]);
    expect(drift).toEqual([
      { field: 'tools', committed: ['weather', 'book'], current: ['book'] },
      { field: 'args', committed: { name: 'book', args: {} }, current: { name: 'book', args: { n: 2 } } },
      { field: 'steps', committed: 3, current: 1 },
    ]);
  });

  it('takes checkpoints, with results that stand apart, and compares how they ended', () => {
    const at = (fields: Partial<Checkpoint>): Checkpoint => ({
      sessionId: 's',
      stepIndex: 1,
      messages: ORIGINAL,
      ...fields,
    });
    expect(
      compareTrajectories(at({ finishReason: 'stop' }), at({ finishReason: 'max-steps' })).drift,
    ).toEqual([{ field: 'finishReason', committed: 'stop', current: 'max-steps' }]);
    expect(compareTrajectories(at({ finishReason: 'stop' }), at({})).drift).toEqual([]);
    const apart = at({
      messages: ORIGINAL.slice(0, 2),
      settledResults: [{ ...result('weather'), toolName: 'weather' }],
    });
    expect(compareTrajectories(apart, ORIGINAL.slice(0, 3)).divergedAt).toBeNull();
  });

  it('a call id that comes again belongs to its own step', () => {
    const again = (second: string) => [GO, ...step('x', 'a', {}, '"1"'), ...step('x', 'a', {}, second)];
    expect(compareTrajectories(again('"2"'), again('"3"')).divergedAt).toBe(2);
  });

  it('leaves what it is given as it was', () => {
    const frozen = Object.freeze(ORIGINAL.map((message) => Object.freeze(message)));
    expect(compareTrajectories(frozen, frozen).divergedAt).toBeNull();
  });
});

function renamed(message: Message): Message {
  const { toolCallId, toolCalls } = message;
  return {
    ...message,
    ...(toolCallId !== undefined && { toolCallId: `other-${toolCallId}` }),
    ...(toolCalls && { toolCalls: toolCalls.map((call) => ({ ...call, id: `other-${call.id}` })) }),
  };
}
