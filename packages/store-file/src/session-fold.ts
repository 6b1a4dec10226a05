import type { Fold } from './fold.js';

/** What a session's log adds up to. */
export interface SessionState {
  /** Of the latest commit, also after a delete. */
  revision: number;
  messages: string | null;
  /** Wall-clock milliseconds of the latest commit or delete. */
  changedAt: number;
}

/** Text: what follows the part that the transcript shares with the one before. */
export interface CommitRecord {
  readonly k: 'commit';
  readonly revision: number;
  /** Leading characters that are as they were. */
  readonly shared: number;
  readonly changedAt: number;
}

export interface ClearRecord {
  readonly k: 'clear';
  readonly changedAt: number;
}

type SessionLogRecord = CommitRecord | ClearRecord;

interface SnapshotFields {
  readonly revision: number;
  readonly changedAt: number;
}

export const sessionFold: Fold<SessionState> = {
  noun: 'session',
  empty: () => ({ revision: 0, messages: null, changedAt: 0 }),
  apply: (state, entry) => apply(state, entry.fields as unknown as SessionLogRecord, entry.texts),
  snapshot: ({ revision, messages, changedAt }) => {
    const fields: SnapshotFields = { revision, changedAt };
    return { fields, texts: messages === null ? [] : [messages] };
  },
  restore: ({ fields, texts }) => ({ ...(fields as unknown as SnapshotFields), messages: texts[0] ?? null }),
  size: ({ messages }) => Buffer.byteLength(messages ?? ''),
  revision: ({ revision }) => revision || undefined,
  highest: ({ revision }) => revision,
};

/** The record that turns one transcript into the next: a conversation mostly grows, so only its end is written. */
export function commitOf(before: string | null, messages: string): { shared: number; text: string } {
  const limit = Math.min(before?.length ?? 0, messages.length);
  let shared = 0;
  while (shared < limit && before!.charCodeAt(shared) === messages.charCodeAt(shared)) shared++;
  // Half of a surrogate pair has no bytes of its own.
  if (shared > 0 && isHighSurrogate(messages.charCodeAt(shared - 1))) shared--;
  return { shared, text: messages.slice(shared) };
}

function apply(state: SessionState, record: SessionLogRecord, texts: readonly string[]): string | undefined {
  switch (record.k) {
    case 'commit': {
      const [text] = texts;
      const before = state.messages ?? '';
      if (text === undefined) return 'its text is missing';
      if (record.revision <= state.revision) return `revision ${record.revision} follows ${state.revision}`;
      if (record.shared > before.length) return 'it continues a longer transcript';
      state.revision = record.revision;
      state.messages = before.slice(0, record.shared) + text;
      state.changedAt = record.changedAt;
      return undefined;
    }
    case 'clear':
      state.messages = null;
      state.changedAt = record.changedAt;
      return undefined;
    default:
      record satisfies never;
      return 'unknown kind of record';
  }
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code < 0xdc00;
}
