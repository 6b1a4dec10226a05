import type { Checkpoint } from '@lousho/core/contract';
import { checkpoint } from '../../world/builders.js';

class Money {
  readonly amount = 42;
}

const cycle: { self?: unknown } = {};
cycle.self = cycle;

const throwing = {
  get secret(): string {
    throw new Error('no');
  },
};

/** A value that is no data, the path of the offending part below it, and the word for it. */
export interface RefusedValue {
  readonly name: string;
  readonly value: unknown;
  readonly path: string;
  readonly word: string;
}

export const REFUSED_VALUES: readonly RefusedValue[] = [
  { name: 'a BigInt', value: { total: 10n }, path: '.total', word: 'bigint' },
  { name: 'a Map', value: { seen: new Map([['a', 1]]) }, path: '.seen', word: 'Map' },
  { name: 'a Set', value: { seen: new Set([1]) }, path: '.seen', word: 'Set' },
  { name: 'a Date', value: { at: new Date(0) }, path: '.at', word: 'Date' },
  { name: 'NaN', value: { total: Number.NaN }, path: '.total', word: 'NaN' },
  { name: 'Infinity', value: [1, Number.POSITIVE_INFINITY], path: '[1]', word: 'Infinity' },
  { name: '-Infinity', value: [Number.NEGATIVE_INFINITY], path: '[0]', word: '-Infinity' },
  { name: 'a cycle', value: { cycle }, path: '.cycle.self', word: 'cycle' },
  { name: 'a function', value: { callback: () => {} }, path: '.callback', word: 'function' },
  { name: 'undefined in an array', value: { list: [1, undefined] }, path: '.list[1]', word: 'undefined' },
  { name: 'a class instance', value: { price: new Money() }, path: '.price', word: 'Money' },
  { name: 'a symbol', value: { 'odd key': Symbol('x') }, path: '["odd key"]', word: 'symbol' },
  { name: 'an Error', value: { cause: new RangeError('x') }, path: '.cause', word: 'RangeError' },
  { name: 'a regular expression', value: { match: /x/ }, path: '.match', word: 'RegExp' },
  {
    name: 'another typed array',
    value: { floats: new Float64Array(1) },
    path: '.floats',
    word: 'Float64Array',
  },
  { name: 'a getter that throws', value: throwing, path: '.secret', word: 'getter' },
];

export const BAD_CHECKPOINTS: readonly (readonly [name: string, record: Checkpoint])[] = (
  [
    ['null', null],
    ['a string', 'x'],
    ['an array', []],
    ['one of another session id', checkpoint({ sessionId: 'other' })],
    ['one without messages', { sessionId: 'refund-42', stepIndex: 1 }],
    ['one whose messages are no array', { ...checkpoint(), messages: {} }],
    ['one with a fraction of a step', checkpoint({ stepIndex: 1.5 })],
    ['one with a negative step', checkpoint({ stepIndex: -1 })],
    ['one with a step as text', { ...checkpoint(), stepIndex: '1' }],
    ['one with revision 0', checkpoint({ revision: 0 })],
    ['one with a revision as text', { ...checkpoint(), revision: '1' }],
    ['one with an unknown status', { ...checkpoint(), status: 'done' }],
  ] as const
).map(([name, record]) => [name, record as unknown as Checkpoint] as const);

export const BAD_LIMITS = [-1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, '1', null] as readonly number[];

/** The code by which an argument is refused. */
export const INVALID = 'LOUSHO_CONFIG_INVALID';
