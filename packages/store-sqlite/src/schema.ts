/** `lous`: how a database of this package is told from another program's. */
export const APPLICATION_ID = 0x6c6f7573;

/**
 * The steps from one schema version to the next; a step that was released never changes.
 *
 * `checkpoints` has one row per session id: where its latest save stands. `seq` counts the saves that were stored under the id and
 * only grows, also where a caller gives no revision, goes back, or starts over. `status` is NULL once the checkpoint was deleted
 * and only its history is kept.
 *
 * `history` has one small record per kept save, the latest one included. It shares `messages` with the others: a message is seen by
 * the saves from `since` up to, but without, `until`.
 *
 * `messages` keeps its rowid, so that rows of several KiB are appended in the order in which they come and only small index
 * entries are sorted by session.
 */
const MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE checkpoints (
    session_key INTEGER PRIMARY KEY,
    session_id TEXT NOT NULL UNIQUE,
    seq INTEGER NOT NULL,
    revision INTEGER,
    status TEXT,
    message_count INTEGER NOT NULL,
    epoch INTEGER,
    saved_at INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX unfinished_checkpoints ON checkpoints (session_id) WHERE status <> 'finished';

  CREATE TABLE history (
    session_key INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    message_count INTEGER NOT NULL,
    saved_at INTEGER NOT NULL,
    head TEXT NOT NULL,
    PRIMARY KEY (session_key, seq)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE messages (
    session_key INTEGER NOT NULL,
    idx INTEGER NOT NULL,
    since INTEGER NOT NULL,
    until INTEGER,
    body TEXT NOT NULL
  ) STRICT;
  CREATE UNIQUE INDEX messages_by_idx ON messages (session_key, idx, since);
  CREATE INDEX superseded_messages ON messages (session_key, until) WHERE until IS NOT NULL;

  CREATE TABLE leases (
    session_id TEXT PRIMARY KEY,
    owner TEXT NOT NULL,
    epoch INTEGER NOT NULL,
    holder TEXT NOT NULL,
    acquired_at INTEGER NOT NULL,
    ttl_ms INTEGER NOT NULL,
    domain TEXT NOT NULL,
    expires_monotonic_ms REAL NOT NULL,
    expires_wall_ms REAL NOT NULL
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE epochs (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    latest INTEGER NOT NULL
  ) STRICT;
  INSERT INTO epochs (id, latest) VALUES (1, 0);

  CREATE TABLE approvals (
    id TEXT PRIMARY KEY,
    created_at INTEGER NOT NULL,
    body TEXT NOT NULL,
    decision TEXT,
    decided_at INTEGER
  ) STRICT;
  CREATE INDEX undecided_approvals ON approvals (created_at, id) WHERE decision IS NULL;

  CREATE TABLE sessions (
    id TEXT PRIMARY KEY,
    revision INTEGER NOT NULL,
    messages TEXT,
    saved_at INTEGER NOT NULL
  ) STRICT;
  `,
];

export const SCHEMA_VERSION: number = MIGRATIONS.length;

/** The SQL that takes a database from `version` to the newest schema. */
export function migrationsFrom(version: number): string {
  return MIGRATIONS.slice(version).join('\n');
}
