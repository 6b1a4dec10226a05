import * as checks from './checks.js';
import { decode, encode } from './codec.js';
import { expectedKind } from './errors.js';
import { assertFormat } from './format.js';
import type { Gate } from './gate.js';
import { assertStoreKey } from './ids.js';
import type { Message } from './messages.js';
import type { SessionRecord, SessionStore } from './session-store.js';

/** A transcript as a bundled store keeps it. `messages` is encoded text; `null` marks a deleted one whose revision goes on. */
export interface SessionRow {
  readonly revision: number;
  readonly messages: string | null;
}

/** What a bundled store implements to keep transcripts. */
export interface SessionTable {
  get(id: string): Promise<SessionRow | null>;
  /**
   * Stores at revision + 1 if the stored revision is `expected`, in one atomic step. A missing or deleted row counts as 0;
   * a deleted row's revision goes on, so that no revision is used twice.
   */
  putIf(id: string, expected: number, messages: string): Promise<boolean>;
  /** Those that are not deleted, in code-point order. */
  ids(): Promise<readonly string[]>;
  delete(id: string): Promise<void>;
}

/** The session store over a table of rows, with the checks and the codec that all bundled stores share. */
export class TableSessionStore implements SessionStore {
  constructor(
    readonly table: SessionTable,
    readonly gate: Gate,
  ) {}

  async load(id: string): Promise<SessionRecord | null> {
    assertStoreKey(id);
    const row = await this.gate.run('sessions.load', () => this.table.get(id));
    if (!row || row.messages === null) return null;
    const messages = decode(row.messages);
    // A list is the first format; a later one will say which it is.
    if (!Array.isArray(messages)) assertFormat(`session ${id}`, messages);
    return { revision: row.revision, messages: messages as Message[] };
  }

  async saveIf(id: string, expectedRevision: number, messages: readonly Message[]): Promise<boolean> {
    assertStoreKey(id);
    checks.wholeNumber('expectedRevision', expectedRevision);
    if (!Array.isArray(messages)) throw expectedKind('messages', 'an array', messages);
    const text = encode(messages, 'messages');
    return this.gate.run('sessions.saveIf', () => this.table.putIf(id, expectedRevision, text));
  }

  ids(): Promise<readonly string[]> {
    return this.gate.run('sessions.ids', () => this.table.ids());
  }

  async delete(id: string): Promise<void> {
    assertStoreKey(id);
    await this.gate.run('sessions.delete', () => this.table.delete(id));
  }
}
