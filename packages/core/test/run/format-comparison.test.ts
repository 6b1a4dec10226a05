import { compareTrajectories, formatComparison } from '@lousho/core';
import type { Message } from '@lousho/core/contract';
import { describe, expect, it } from 'vitest';
import { saying, user } from './support.js';

const call = (id: string, args: unknown, result?: unknown): Message[] => [
  {
    role: 'assistant',
    content: '',
    toolCalls: [{ id, type: 'function', function: { name: id, arguments: JSON.stringify(args) } }],
  },
  ...(result === undefined
    ? []
    : [{ role: 'tool' as const, toolCallId: id, toolName: id, content: JSON.stringify(result) }]),
];

describe('a comparison for people', () => {
  it('of equal runs says so, and shows each step once', () => {
    const run = [user('Go'), ...call('weather', {}, 'sun'), saying('done')];
    expect(formatComparison(compareTrajectories(run, run)).split('\n')).toEqual([
      'The runs are equal.',
      '',
      '  1  weather({}) -> sun',
      '  2  done',
    ]);
  });

  it('marks what the first run has with - and what the second has with +', () => {
    const a = [
      user('Go'),
      ...call('weather', {}, 'sun'),
      ...call('book', { place: 'beach' }, 'ok'),
      saying('done'),
    ];
    const b = [
      user('Go'),
      ...call('weather', {}, 'rain'),
      ...call('book', { place: 'museum' }, 'ok'),
      saying('done'),
    ];
    const lines = formatComparison(compareTrajectories(a, b)).split('\n');
    expect(lines[0]).toBe('The runs differ from step 1 on.');
    expect(lines).toContain('- 1  weather({}) -> sun');
    expect(lines).toContain('+ 1  weather({}) -> rain');
    expect(lines).toContain('- 2  book({"place":"beach"}) -> ok');
    expect(lines).toContain('+ 2  book({"place":"museum"}) -> ok');
    expect(lines).toContain('  3  done');
    expect(lines.at(-1)).toContain('args: ');
    expect(lines.filter((line) => line.endsWith('  done'))).toHaveLength(1);
  });

  it('numbers a step as the run does that has it', () => {
    const a = [user('Go'), ...call('x', {}, 1), saying('done')];
    const b = [user('Go'), ...call('y', {}, 1), ...call('x', {}, 1), saying('done')];
    const lines = formatComparison(compareTrajectories(a, b)).split('\n');
    expect(lines).toContain('+ 1  y({}) -> 1');
    expect(lines.at(-1)).toBe('steps: 2 -> 3');
  });

  it('stays one line a call, however long its values are, and shows a call without a result', () => {
    const long = [
      user('Go'),
      ...call('a', { text: 'x'.repeat(5_000) }, 'line\n'.repeat(500)),
      ...call('b', {}),
    ];
    const lines = formatComparison(compareTrajectories(long, long)).split('\n');
    expect(lines).toHaveLength(4);
    for (const line of lines) expect(line.length).toBeLessThan(260);
    expect(lines.at(-1)).toBe('  2  b({}) -> …');
  });
});
