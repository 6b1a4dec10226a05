import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import type { Storage } from '../../session/support/storages.js';

/**
 * What lies in the storage under an id, as it lies there: bytes of files, rows of tables. A lease that comes and goes is no part of
 * the record. In memory there is nothing below the store's own answers.
 */
export async function rawOf(storage: Storage, sessionId: string): Promise<unknown> {
  switch (storage.kind) {
    case 'memory': {
      const { checkpoints } = storage.open();
      return JSON.stringify([await checkpoints.load(sessionId), await checkpoints.history(sessionId)]);
    }
    case 'file':
      return filesIn(join(storage.folder, 'checkpoints', sessionId));
    case 'sqlite':
      return rowsOf(join(storage.folder, 'runs.db'), sessionId);
    default:
      return storage.kind satisfies never;
  }
}

function filesIn(folder: string): readonly (readonly [string, string])[] {
  const entries = readdirSync(folder, { withFileTypes: true, recursive: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted()
    .map((path) => [path, readFileSync(path, 'hex')] as const);
}

function rowsOf(path: string, sessionId: string): readonly unknown[] {
  const database = new Database(path, { readonly: true });
  try {
    const checkpoint = database.prepare('SELECT * FROM checkpoints WHERE session_id = ?').get(sessionId);
    const key = (checkpoint as { session_key: number }).session_key;
    return [
      checkpoint,
      database.prepare('SELECT * FROM history WHERE session_key = ? ORDER BY seq').all(key),
      database.prepare('SELECT * FROM messages WHERE session_key = ? ORDER BY idx, since').all(key),
    ];
  } finally {
    database.close();
  }
}
