import { readFileSync } from 'node:fs';
import Sqlite, { type Database } from 'better-sqlite3';
import { onTestFinished } from 'vitest';

/** A second connection to the file, to look at it or to damage it. */
export function connect(path: string): Database {
  const db = new Sqlite(path);
  onTestFinished(() => {
    db.close();
  });
  return db;
}

export function count(db: Database, table: string): number {
  return db.prepare<[], number>(`SELECT COUNT(*) FROM ${table}`).pluck().get() ?? 0;
}

/** Transactions in the write-ahead log: the frames that name the size of the database after a commit. */
export function commitsInLog(path: string): number {
  const log = readFileSync(`${path}-wal`);
  const pageSize = log.readUInt32BE(8);
  const salt = log.subarray(16, 24);
  let commits = 0;
  for (let at = 32; at + 24 + pageSize <= log.length; at += 24 + pageSize) {
    const isCurrent = log.subarray(at + 8, at + 16).equals(salt);
    if (isCurrent && log.readUInt32BE(at + 4) !== 0) commits++;
  }
  return commits;
}
