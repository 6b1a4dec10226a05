import type { Checkpoint, Message } from '@lousho/core';

/** A checkpoint as the inner store keeps it. */
type Sealed = Omit<Checkpoint, 'messages'> & {
  readonly sealed: string;
  readonly messages: readonly SealedRow[];
};
type SealedRow = { readonly sealed: string };

/** What can happen to a stored record, and the code that it is refused with. */
export interface Harm {
  readonly what: string;
  readonly code: string;
  harm(record: Sealed, other: Sealed): unknown;
}

const plain = { role: 'user', content: 'pay nobody' } satisfies Message;

export const HARMS: readonly Harm[] = [
  harm('NOT_ENCRYPTED', 'a plaintext record', ({ sealed: _, ...rest }) => ({ ...rest, messages: [plain] })),
  harm('NOT_ENCRYPTED', 'a plaintext message', (record) => withRow(record, 1, plain as never)),
  harm('NOT_ENCRYPTED', 'a text that is no envelope', (record) => ({ ...record, sealed: 'hello' })),
  harm('TRUNCATED', 'a record without its last character', (r) => ({ ...r, sealed: r.sealed.slice(0, -1) })),
  harm('TRUNCATED', 'a record cut in its first word', (r) => ({ ...r, sealed: r.sealed.slice(0, 3) })),
  harm('TRUNCATED', 'a record cut before its data', (r) => ({ ...r, sealed: r.sealed.slice(0, 40) })),
  harm('TRUNCATED', 'a message without its end', (r) => withRow(r, 1, cut(r.messages[1]))),
  harm('TRUNCATED', 'a transcript without its last message', (r) => ({
    ...r,
    messages: r.messages.slice(0, -1),
  })),
  harm('TAMPERED', 'a changed record', (r) => ({ ...r, sealed: flipped(r.sealed) })),
  harm('TAMPERED', 'a record that grew', (r) => ({ ...r, sealed: `${r.sealed}AAAA` })),
  harm('TAMPERED', 'a changed message', (r) =>
    withRow(r, 1, { sealed: flipped(r.messages[1]?.sealed ?? '') }),
  ),
  harm('TAMPERED', 'messages that changed places', (r) => ({ ...r, messages: r.messages.toReversed() })),
  harm('TAMPERED', 'a message that is there twice', (r) => ({
    ...r,
    messages: [...r.messages, ...r.messages.slice(-1)],
  })),
  harm('TAMPERED', 'a message of another run', (r, other) => withRow(r, 1, other.messages[1] as SealedRow)),
  harm('TAMPERED', 'the record of another run', ({ sessionId }, other) => ({ ...other, sessionId })),
  harm('TAMPERED', 'another status', (r) => ({ ...r, status: 'finished' })),
  harm('TAMPERED', 'another revision', (r) => ({ ...r, revision: 7 })),
  harm('TAMPERED', 'another approval', (r) => ({ ...r, approvalId: 'approval-2' })),
  harm('KEY_UNKNOWN', 'a key id that nobody has', (r) => ({
    ...r,
    sealed: r.sealed.replace('.k1.', '.k9.'),
  })),
  {
    what: 'a newer format',
    code: 'LOUSHO_STORAGE_INCOMPATIBLE',
    harm: (r) => ({ ...r, sealed: r.sealed.replace('sealed.1.', 'sealed.2.') }),
  },
];

/** The text with one character of its data changed. */
export function flipped(envelope: string): string {
  const at = envelope.lastIndexOf('.') + 3;
  return `${envelope.slice(0, at)}${envelope[at] === 'A' ? 'B' : 'A'}${envelope.slice(at + 1)}`;
}

function harm(code: string, what: string, change: Harm['harm']): Harm {
  return { what, code: `LOUSHO_RECORD_${code}`, harm: change };
}

function withRow(record: Sealed, index: number, row: SealedRow): unknown {
  return { ...record, messages: record.messages.with(index, row) };
}

function cut(row: SealedRow | undefined): SealedRow {
  return { sealed: row?.sealed.slice(0, -5) ?? '' };
}
