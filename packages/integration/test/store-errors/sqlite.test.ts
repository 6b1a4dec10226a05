import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkpoint, ID } from '@lousho/conformance';
import { SqliteStore } from '@lousho/store-sqlite';
import Database from 'better-sqlite3';
import { expect, it, onTestFinished } from 'vitest';
import { asNobody } from './support/as-nobody.js';
import { packageWithout } from './support/package-without.js';
import { type StoreFault, testFaults, thrownBy } from './support/store-fault.js';
import { temporaryFolder } from './support/temporary-folder.js';
import { faultsOnPage } from './support/when-it-does-not-start.js';

const FAULTS: readonly StoreFault[] = [
  {
    fault: 'the native part of better-sqlite3 is missing',
    code: 'LOUSHO_STORAGE_FAILED',
    retryable: false,
    provoke: async () => {
      const thrown = await packageWithout('store-sqlite', 'better-sqlite3', ['build']);
      return { thrown, names: ['SqliteStore(:memory:)', 'better-sqlite3'] };
    },
  },
  {
    fault: 'the folder or the file may not be written',
    code: 'LOUSHO_STORAGE_READ_ONLY',
    retryable: false,
    provoke: async () => {
      const path = join(temporaryFolder(0o555), 'runs.db');
      await new SqliteStore(':memory:').close(); // loads the native part while it may be read
      return { thrown: await asNobody(() => thrownBy(() => new SqliteStore(path))), names: [path] };
    },
  },
  {
    fault: 'the folder or the file may not be written',
    code: 'LOUSHO_STORAGE_READ_ONLY',
    retryable: false,
    provoke: async () => {
      const path = join(temporaryFolder(), 'runs.db');
      await new SqliteStore(path).close();
      chmodSync(path, 0o444);
      return { thrown: await asNobody(() => thrownBy(() => new SqliteStore(path))), names: [path] };
    },
  },
  {
    fault: 'the path is a folder, or leads through a file',
    code: 'LOUSHO_CONFIG_INVALID',
    retryable: false,
    provoke: async () => {
      const path = temporaryFolder();
      return { thrown: await thrownBy(() => new SqliteStore(path)), names: ['path', path] };
    },
  },
  {
    fault: 'the path is a folder, or leads through a file',
    code: 'LOUSHO_CONFIG_INVALID',
    retryable: false,
    provoke: async () => {
      const file = join(temporaryFolder(), 'notes.txt');
      writeFileSync(file, 'mine');
      const path = join(file, 'runs.db');
      return { thrown: await thrownBy(() => new SqliteStore(path)), names: ['path', path] };
    },
  },
  {
    fault: "the file is another program's",
    code: 'LOUSHO_STORAGE_INCOMPATIBLE',
    retryable: false,
    provoke: async () => {
      const path = databaseWith('CREATE TABLE customers (name TEXT)');
      return { thrown: await thrownBy(() => new SqliteStore(path)), names: [path] };
    },
  },
  {
    fault: "the file is another program's",
    code: 'LOUSHO_STORAGE_INCOMPATIBLE',
    retryable: false,
    provoke: async () => {
      const path = join(temporaryFolder(), 'notes.txt');
      writeFileSync(path, 'no database at all, but long enough to be looked at as one. '.repeat(20));
      return { thrown: await thrownBy(() => new SqliteStore(path)), names: [path] };
    },
  },
  {
    fault: 'the schema is newer',
    code: 'LOUSHO_STORAGE_INCOMPATIBLE',
    retryable: false,
    provoke: async () => {
      const path = await storedBy();
      change(path, 'PRAGMA user_version = 99');
      return { thrown: await thrownBy(() => new SqliteStore(path)), names: [path, 99] };
    },
  },
  {
    fault: 'tables are missing',
    code: 'LOUSHO_STORAGE_FAILED',
    retryable: false,
    provoke: async () => {
      const path = await storedBy();
      change(path, 'DROP TABLE leases');
      return { thrown: await thrownBy(() => new SqliteStore(path)), names: [path, 'leases'] };
    },
  },
  {
    fault: 'tables are missing',
    code: 'LOUSHO_STORAGE_FAILED',
    retryable: false,
    provoke: async () => {
      const path = await storedBy();
      const store = new SqliteStore(path);
      onTestFinished(() => store.close());
      change(path, 'DROP TABLE messages');
      const thrown = await thrownBy(() => store.checkpoints.save(ID, checkpoint()));
      return { thrown, names: [path, 'messages'] };
    },
  },
];

testFaults('SQLite', FAULTS);

it('each fault of SQLite that the page lists was seen', () => {
  expect(faultsOnPage('SQLite')).toEqual([...new Set(FAULTS.map(({ fault }) => fault))]);
});

async function storedBy(): Promise<string> {
  const path = join(temporaryFolder(), 'runs.db');
  const store = new SqliteStore(path);
  await store.checkpoints.save(ID, checkpoint());
  await store.close();
  return path;
}

function databaseWith(sql: string): string {
  const folder = join(temporaryFolder(), 'theirs');
  mkdirSync(folder);
  const path = join(folder, 'theirs.db');
  change(path, sql);
  return path;
}

function change(path: string, sql: string): void {
  const db = new Database(path);
  db.exec(sql);
  db.close();
}
