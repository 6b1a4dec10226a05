import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { SqliteStore } from '@lousho/store-sqlite';
import Sqlite from 'better-sqlite3';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { SqliteApprovalTable } from '../src/sqlite-approval-table.js';
import { checkpoint } from './support/checkpoint.js';
import { connect } from './support/database.js';
import { openStore } from './support/open-store.js';
import { temporaryDatabase, temporaryFolder } from './support/temporary-folder.js';

const APPLICATION_ID = 0x6c6f7573;

test('a new database is in WAL mode, stamped with its program and its schema version', () => {
  const path = temporaryDatabase();
  openStore(path);
  const db = connect(path);
  expect(db.pragma('journal_mode', { simple: true })).toBe('wal');
  expect(db.pragma('application_id', { simple: true })).toBe(APPLICATION_ID);
  expect(db.pragma('user_version', { simple: true })).toBe(1);
});

test.each([
  ['full', 2],
  ['normal', 1],
] as const)('synchronous %s is set on the connection, with a bounded log', (synchronous, level) => {
  const store = openStore(temporaryDatabase(), { synchronous });
  const { db } = (store.approvals.table as SqliteApprovalTable).connection;
  expect(db.pragma('synchronous', { simple: true })).toBe(level);
  expect(db.pragma('wal_autocheckpoint', { simple: true })).toBe(256);
  expect(db.pragma('journal_size_limit', { simple: true })).toBe(1_048_576);
});

test('missing folders and the file are created for this user only', () => {
  const folder = temporaryFolder();
  const path = join(folder, 'a', 'b', 'jobs.db');
  openStore(path);
  expect(statSync(join(folder, 'a')).mode & 0o777).toBe(0o700);
  expect(statSync(join(folder, 'a', 'b')).mode & 0o777).toBe(0o700);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(statSync(`${path}-wal`).mode & 0o777).toBe(0o600);
});

test('the path is the one that was given', () => {
  const path = temporaryDatabase();
  expect(openStore(path).path).toBe(path);
  expect(openStore(':memory:').path).toBe(':memory:');
});

test('what one store object saved, the next one on the file loads', async () => {
  const path = temporaryDatabase();
  const first = new SqliteStore(path);
  await first.checkpoints.save('refund-42', checkpoint({ stepIndex: 3 }));
  await first.close();
  expect(await openStore(path).checkpoints.load('refund-42')).toEqual(checkpoint({ stepIndex: 3 }));
});

test('a file that another one makes a database of while it is looked at is ours, not another program’s', async () => {
  const path = temporaryDatabase();
  const { pragma } = Sqlite.prototype;
  let isFirst = true;
  const look = vi.spyOn(Sqlite.prototype, 'pragma').mockImplementation(function (
    this: Sqlite.Database,
    ...args
  ) {
    const seen = pragma.apply(this, args);
    if (args[0] === 'application_id' && isFirst) {
      isFirst = false;
      // Between two looks at the file; it may also be told to come back later.
      try {
        void new SqliteStore(path, { busyTimeoutMs: 10 }).close();
      } catch (error) {
        expect(error).toMatchObject({ code: 'LOUSHO_STORAGE_BUSY' });
      }
    }
    return seen;
  });
  onTestFinished(() => look.mockRestore());
  const store = openStore(path);
  expect(isFirst).toBe(false);
  await store.checkpoints.save('refund-42', checkpoint());
  expect(await store.checkpoints.load('refund-42')).toEqual(checkpoint());
});

test('an empty file is taken as a new database', async () => {
  const path = temporaryDatabase();
  writeFileSync(path, '');
  expect(await openStore(path).checkpoints.load('refund-42')).toBeNull();
});

test('a database of a newer version is refused, names path and versions, and stays as it was', async () => {
  const path = temporaryDatabase();
  await new SqliteStore(path).close();
  connect(path).pragma('user_version = 7');
  await expectRefused(path, /expected schema version 1 or older, got 7/);
});

test("another program's database is refused, names path and versions, and stays as it was", async () => {
  const path = temporaryDatabase();
  const db = connect(path);
  db.exec('CREATE TABLE invoices (id INTEGER PRIMARY KEY)');
  db.pragma('user_version = 12');
  await expectRefused(path, /schema version at most 1.*application id 0, version 12/);
});

test("a database with another program's application id is refused even when it is empty", async () => {
  const path = temporaryDatabase();
  connect(path).pragma('application_id = 77');
  await expectRefused(path, /application id 77/);
});

test.each([
  ['short', 'hello'],
  ['long', 'not a database\n'.repeat(1_000)],
])('a %s file that is no database is refused and stays as it was', async (_, text) => {
  const path = temporaryDatabase();
  writeFileSync(path, text);
  await expectRefused(path, /a file that is no database/);
});

test('a path below a file is LOUSHO_CONFIG_INVALID', () => {
  const path = temporaryDatabase();
  writeFileSync(path, '');
  expect(() => new SqliteStore(join(path, 'jobs.db'))).toThrow(
    expect.objectContaining({ code: 'LOUSHO_CONFIG_INVALID' }),
  );
});

test('a folder in place of the file is a wrong option', () => {
  const path = temporaryDatabase();
  mkdirSync(path);
  expect(() => new SqliteStore(path)).toThrow(
    expect.objectContaining({ code: 'LOUSHO_CONFIG_INVALID', field: 'path' }),
  );
});

test.each([
  ['path', '', {}],
  ['path', 'a\0b', {}],
  ['historyLimit', ':memory:', { historyLimit: -1 }],
  ['synchronous', ':memory:', { synchronous: 'off' as 'full' }],
  ['graceMs', ':memory:', { graceMs: -1 }],
  ['busyTimeoutMs', ':memory:', { busyTimeoutMs: 0.5 }],
])('a wrong %s is refused by name', (field, path, options) => {
  expect(() => new SqliteStore(path, options)).toThrow(
    expect.objectContaining({ code: 'LOUSHO_CONFIG_INVALID', field }),
  );
});

test('a store declares what its database keeps', () => {
  const path = temporaryDatabase();
  expect(openStore(path).checkpoints.capabilities).toEqual({
    fencing: 'atomic',
    reads: 'latest',
    reach: 'host',
    survives: 'power-loss',
    clock: 'host',
    graceMs: 30_000,
    deathProof: 'process',
  });
  expect(openStore(path, { synchronous: 'normal', graceMs: 5 }).checkpoints.capabilities).toMatchObject({
    survives: 'process-crash',
    graceMs: 5,
  });
  expect(openStore(':memory:').checkpoints.capabilities).toMatchObject({
    reach: 'process',
    survives: 'nothing',
    deathProof: 'instance',
  });
});

async function expectRefused(path: string, message: RegExp): Promise<void> {
  const before = { files: readdirSync(dirname(path)), bytes: hash(path) };
  expect(() => new SqliteStore(path)).toThrow(
    expect.objectContaining({
      code: 'LOUSHO_STORAGE_INCOMPATIBLE',
      detail: expect.stringContaining(path),
      message: expect.stringMatching(message),
    }),
  );
  expect({ files: readdirSync(dirname(path)), bytes: hash(path) }).toEqual(before);
}

function hash(path: string): string {
  return createHash('sha256').update(readFileSync(path)).digest('hex');
}
