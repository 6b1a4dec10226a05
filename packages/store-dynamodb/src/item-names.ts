import type { Key } from './call.js';

/** The index of unfinished and finished checkpoints and of undecided approvals: partition `l`, sorted by `k`. */
export const INDEX = 'listing';
export const HEAD = 'head';

/** A message or a save, of which an item holds one piece. */
export interface RowName {
  readonly kind: 'message' | 'save';
  /** The message's place in the transcript; 0 for a save. */
  readonly index: number;
  /** The number of the save that wrote it. */
  readonly seq: number;
  /** Who wrote it: a writer uses a number once, so that two attempts at one save never share a name. */
  readonly writer: string;
  readonly chunk: number;
}

export function checkpointKey(sessionId: string): Key {
  return { pk: `c#${sessionId}`, sk: HEAD };
}

export function approvalKey(id: string): Key {
  return { pk: `a#${id}`, sk: HEAD };
}

export function sessionKey(id: string): Key {
  return { pk: `t#${id}`, sk: HEAD };
}

export function rowName({ kind, index, seq, writer, chunk }: RowName): string {
  const start = kind === 'message' ? messageFrom(index) : 's';
  return `${start}#${padded(seq, 10)}#${writer}#${padded(chunk, 5)}`;
}

/** The start of the names of a message and of all that follow it. */
export function messageFrom(index: number): string {
  return `m#${padded(index, 8)}`;
}

/** `undefined` for what is no row. */
export function parseRowName(sk: string): RowName | undefined {
  const parts = sk.split('#');
  const [kind, ...rest] = parts;
  if (kind === 'm' && rest.length === 4) {
    const [index, seq, writer = '', chunk] = rest;
    return { kind: 'message', index: Number(index), seq: Number(seq), writer, chunk: Number(chunk) };
  }
  if (kind === 's' && rest.length === 3) {
    const [seq, writer = '', chunk] = rest;
    return { kind: 'save', index: 0, seq: Number(seq), writer, chunk: Number(chunk) };
  }
  return undefined;
}

/** Instants as text that sorts as they do, those before 1970 included. */
export function sortableInstant(ms: number): string {
  return padded(ms + 8.64e15, 17);
}

function padded(value: number, digits: number): string {
  return String(value).padStart(digits, '0');
}
