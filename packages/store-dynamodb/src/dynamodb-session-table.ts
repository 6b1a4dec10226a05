import { SDKError, type SessionRow, type SessionTable } from '@lousho/core/contract';
import { type Item, number, text } from './attributes.js';
import type { Call } from './call.js';
import type { TableParts } from './dynamodb-approval-table.js';
import { sessionKey } from './item-names.js';
import { readText, textKeys, writeText } from './large-text.js';
import { scannedIds } from './scanned-ids.js';

const MOST_ATTEMPTS = 5;

/** Transcripts. The record of a deleted one stays, without its text, so that its revision goes on. */
export class DynamoDBSessionTable implements SessionTable {
  constructor(readonly parts: TableParts) {}

  async get(id: string): Promise<SessionRow | null> {
    const call = this.parts.begin();
    for (let attempts = 1; ; attempts++) {
      const record = await call.get(sessionKey(id));
      if (!record) return null;
      const messages = await readText(call, record, 'messages');
      // Another commit replaced the text between the two reads.
      if (messages !== undefined) return { revision: number(record, 'revision') ?? 0, messages };
      if (attempts >= MOST_ATTEMPTS) {
        throw new SDKError('LOUSHO_STORAGE_FAILED', `session ${id}: a part of its transcript is missing`, {
          retryable: false,
        });
      }
    }
  }

  async putIf(id: string, expected: number, messages: string): Promise<boolean> {
    const call = this.parts.begin();
    const key = sessionKey(id);
    const before = await call.get(key);
    const revision = before ? (number(before, 'revision') ?? 0) : 0;
    if ((before && hasText(before) ? revision : 0) !== expected) return false;
    const savedAt = this.parts.clock.now();
    const fields = await writeText(call, key, 'messages', messages, savedAt);
    // Names this very commit: a request that was sent twice recognises its own first one.
    const by = crypto.randomUUID();
    const change = {
      set: { ...fields.set, revision: revision + 1, savedAt, by },
      remove: [...fields.remove, 'deleted'],
    };
    const unchanged = before
      ? // A delete keeps the revision: one that came in between is known by its mark.
        { revision, ...(expected === 0 ? { messages: null, messagesName: null } : { deleted: null }) }
      : { revision: null };
    const isDone = (await call.update(key, change, unchanged)) !== false || (await this.#isBy(call, id, by));
    const unused = isDone ? before : ({ pk: { S: key.pk }, ...asItem(fields.set) } as Item);
    const keys = unused ? textKeys(unused, 'messages') : [];
    if (keys.length > 0) this.parts.later(() => this.parts.begin().write([], keys));
    return isDone;
  }

  ids(): Promise<readonly string[]> {
    return scannedIds(this.parts.begin('long'), 't#', hasText);
  }

  async delete(id: string): Promise<void> {
    await this.forget(this.parts.begin(), id);
  }

  /** `savedBefore`: only if its last commit is older. */
  async forget(call: Call, id: string, savedBefore = Number.POSITIVE_INFINITY): Promise<boolean> {
    const key = sessionKey(id);
    for (let conflicts = 1; ; conflicts++) {
      const record = await call.get(key);
      if (!record || !hasText(record) || (number(record, 'savedAt') ?? 0) >= savedBefore) return false;
      const change = { set: { deleted: 1 }, remove: ['messages', 'messagesName', 'messagesChunks'] };
      const by = text(record, 'by') ?? null;
      if ((await call.update(key, change, { by })) !== false) {
        await call.write([], textKeys(record, 'messages'));
        return true;
      }
      await call.pauseAfterConflict(conflicts);
    }
  }

  async #isBy(call: Call, id: string, by: string): Promise<boolean> {
    const now = await call.get(sessionKey(id));
    return now !== undefined && text(now, 'by') === by;
  }
}

export function hasText(record: Item): boolean {
  return record.messages !== undefined || record.messagesName !== undefined;
}

function asItem(fields: Readonly<Record<string, string | number>>): Item {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      typeof value === 'number' ? { N: `${value}` } : { S: value },
    ]),
  );
}
