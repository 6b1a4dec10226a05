import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type HostClock, hostClockOver } from '@lousho/core/node';
import { fileStore } from '@lousho/store-file';
import { SqliteStore } from '@lousho/store-sqlite';
import Database from 'better-sqlite3';
import type { FullStore, OpenOptions, Storage, StoreKind } from './store-kind.js';
import { testClock } from './test-clock.js';

/** What differs between the stores that keep everything in a folder. */
interface Disk {
  readonly name: 'file' | 'sqlite';
  open(dir: string, options: OpenOptions & { readonly clock: HostClock }): unknown;
  raw(dir: string, sessionId: string): unknown;
  damage?(dir: string, sessionId: string): void;
}

export const fileKind = diskKind({
  name: 'file',
  open: fileStore,
  raw: (dir, sessionId) => filesIn(join(dir, 'checkpoints', sessionId)),
  damage: damageLogs,
});

export const sqliteKind = diskKind({
  name: 'sqlite',
  open: (dir, options) => new SqliteStore(join(dir, 'runs.db'), options),
  raw: (dir, sessionId) => rowsOf(join(dir, 'runs.db'), sessionId),
});

function diskKind({ name, open, raw, damage }: Disk): StoreKind {
  return { name, storage: () => storageOn({ name, open, raw, ...(damage && { damage }) }) };
}

function storageOn({ name, open, raw, damage }: Disk): Storage {
  const clock = testClock();
  const dir = mkdtempSync(join(tmpdir(), `lousho-${name}-`));
  const clients: FullStore[] = [];
  return {
    kind: name,
    clock,
    open: (options) => {
      const client = open(dir, { clock: hostClockOver(clock), ...options }) as FullStore;
      clients.push(client);
      return client;
    },
    raw: async (sessionId) => raw(dir, sessionId),
    ...(damage && { damage: (sessionId) => damage(dir, sessionId) }),
    end: async () => {
      await Promise.all(clients.map((client) => client.close()));
      rmSync(dir, { recursive: true, force: true });
    },
  };
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

/**
 * Overwrites a few bytes in the middle of the first line of each log of the id: nothing that a write which was cut off leaves, which is
 * a last line without its end.
 */
function damageLogs(dir: string, sessionId: string): void {
  const folder = join(dir, 'checkpoints', sessionId);
  for (const name of readdirSync(folder).filter((file) => file.endsWith('.log'))) {
    const path = join(folder, name);
    const bytes = readFileSync(path);
    const middle = Math.floor(bytes.indexOf('\n') / 2);
    bytes.fill('?', middle, middle + 8);
    writeFileSync(path, bytes);
  }
}
