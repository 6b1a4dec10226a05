/**
 * The steps from one schema version to the next; a step that was released never changes.
 *
 * `checkpoints` has one row per session id: where its latest save stands, and its lease. `seq` counts the saves that were stored
 * under the id and only grows. `status` is null while nothing is stored: the id is only leased, or was deleted and its history is
 * kept. `saved_epoch` is the epoch of the lease under which the latest save was made.
 *
 * `history` has one small record per kept save, the latest one included; `save_id` tells the save apart from every other one.
 * It shares `messages` with the others: a message is seen by the saves from `since` up to, but without, `until`.
 *
 * Payloads are text: jsonb reorders keys, rounds numbers and refuses U+0000.
 */
const MIGRATIONS: readonly ((schema: string) => string)[] = [
  (schema) => `
  CREATE SEQUENCE ${schema}.epochs;

  CREATE TABLE ${schema}.checkpoints (
    session_key bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    session_id text COLLATE "C" NOT NULL UNIQUE,
    seq bigint NOT NULL DEFAULT 0,
    revision bigint,
    status text COLLATE "C",
    message_count bigint NOT NULL DEFAULT 0,
    saved_epoch bigint,
    saved_at bigint NOT NULL,
    lease_owner text COLLATE "C",
    lease_epoch bigint,
    lease_since bigint,
    lease_expires_at bigint
  ) WITH (fillfactor = 70);
  CREATE INDEX unfinished_checkpoints ON ${schema}.checkpoints (session_id) WHERE status <> 'finished';

  CREATE TABLE ${schema}.history (
    session_key bigint NOT NULL,
    seq bigint NOT NULL,
    message_count bigint NOT NULL,
    saved_at bigint NOT NULL,
    save_id text COLLATE "C" NOT NULL,
    head text NOT NULL,
    PRIMARY KEY (session_key, seq)
  );

  CREATE TABLE ${schema}.messages (
    session_key bigint NOT NULL,
    idx bigint NOT NULL,
    since bigint NOT NULL,
    until bigint,
    body text NOT NULL,
    PRIMARY KEY (session_key, idx, since)
  );
  CREATE INDEX superseded_messages ON ${schema}.messages (session_key, until) WHERE until IS NOT NULL;

  CREATE TABLE ${schema}.approvals (
    id text COLLATE "C" PRIMARY KEY,
    created_at bigint NOT NULL,
    body text NOT NULL,
    decision text,
    decided_at bigint,
    decision_id text COLLATE "C"
  );
  CREATE INDEX undecided_approvals ON ${schema}.approvals (created_at, id) WHERE decision IS NULL;

  CREATE TABLE ${schema}.sessions (
    id text COLLATE "C" PRIMARY KEY,
    revision bigint NOT NULL,
    messages text,
    saved_at bigint NOT NULL,
    commit_id text COLLATE "C"
  );
  `,
];

export const SCHEMA_VERSION: number = MIGRATIONS.length;

/** The statements that take the tables from `version` to the newest schema. */
export function migrationsFrom(version: number, schema: string): readonly string[] {
  return MIGRATIONS.slice(version).map((migration) => migration(schema));
}
