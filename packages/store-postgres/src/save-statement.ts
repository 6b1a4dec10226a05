import type { LogWrite } from '@lousho/core/contract';
import { bigintArray, textArray } from './arrays.js';
import type { Row, Statement } from './attempt.js';
import { ownerText } from './owner-text.js';
import { NOW_MS } from './server-time.js';

/** One save of a batch. */
export interface SaveRequest {
  readonly write: LogWrite;
  /** Tells this save apart from every other one. */
  readonly saveId: string;
  /** Leading messages that are not sent, because the caller vouches for them. */
  readonly omitted: number;
}

/**
 * What became of a save: `saved`; `repeated`: it was there already; `fenced`: its owner does not hold the lease; `unvouched`: the
 * stored revision is another one than the messages were omitted for; `stale`: another writer was faster, nothing was written.
 */
export type SaveVerdict = 'saved' | 'repeated' | 'fenced' | 'unvouched' | 'stale';

/** All saves, of different ids, in one statement of the text that `saveText()` gives; each has a verdict of its own. */
export function saveStatement(text: string, historyLimit: number, saves: readonly SaveRequest[]): Statement {
  const lines = saves.flatMap(({ write, omitted }, index) =>
    Array.from({ length: write.messageCount - omitted }, (_, at) => ({
      n: index + 1,
      idx: omitted + at,
      body: write.row(omitted + at),
    })),
  );
  const writes = saves.map(({ write }) => write);
  return {
    text,
    values: [
      textArray(writes.map((write) => write.sessionId)),
      textArray(writes.map(({ owner }) => (owner === undefined ? null : ownerText(owner)))),
      bigintArray(writes.map((write) => write.revision ?? null)),
      textArray(writes.map((write) => write.status)),
      textArray(writes.map((write) => write.head)),
      bigintArray(writes.map((write) => write.messageCount)),
      bigintArray(saves.map((save) => save.omitted)),
      textArray(saves.map((save) => save.saveId)),
      bigintArray(lines.map((line) => line.n)),
      bigintArray(lines.map((line) => line.idx)),
      textArray(lines.map((line) => line.body)),
      // The latest head is no history entry of its own: it is kept also where no history is.
      Math.max(1, historyLimit),
    ],
  };
}

/** By the position of the save. */
export function verdictsOf(rows: readonly Row[]): SaveVerdict[] {
  return [...rows].sort((a, b) => Number(a.n) - Number(b.n)).map((row) => row.verdict as SaveVerdict);
}

/**
 * `held` waits for each row's lock, in the order of the ids so that two batches never wait for each other, and reads what is there
 * then. The messages can only be read as they were when the statement began: a row that was saved since is `stale`.
 */
export function saveText(schema: string): string {
  const text = `
WITH input AS (
  SELECT *
  FROM unnest($1::text[], $2::text[], $3::bigint[], $4::text[], $5::text[], $6::bigint[], $7::bigint[], $8::text[])
    WITH ORDINALITY AS i (session_id, owner, revision, status, head, message_count, omitted, save_id, n)
), held AS MATERIALIZED (
  SELECT c.session_key, c.session_id, c.seq, c.revision, c.status, c.message_count, c.saved_epoch, c.lease_owner, c.lease_epoch
  FROM ${schema}.checkpoints c
  WHERE c.session_id = ANY ($1::text[])
  ORDER BY c.session_id
  FOR NO KEY UPDATE
), judged AS MATERIALIZED (
  SELECT i.*, h.session_key, h.seq, h.lease_epoch, CASE
    WHEN i.owner IS NOT NULL AND h.lease_owner IS DISTINCT FROM i.owner THEN 'fenced'
    WHEN i.owner IS NOT NULL AND h.status IS NOT NULL AND h.saved_epoch = h.lease_epoch AND i.revision <= h.revision
      THEN 'repeated'
    WHEN h.session_key IS DISTINCT FROM c.session_key OR h.seq IS DISTINCT FROM c.seq THEN 'stale'
    WHEN i.omitted > 0 AND (h.status IS NULL OR h.revision IS DISTINCT FROM i.revision - 1 OR h.message_count < i.omitted)
      THEN 'unvouched'
    ELSE 'saved' END AS verdict
  FROM input i
  LEFT JOIN held h ON h.session_id = i.session_id
  LEFT JOIN ${schema}.checkpoints c ON c.session_id = i.session_id
), inserted AS (
  INSERT INTO ${schema}.checkpoints (session_id, seq, revision, status, message_count, saved_at)
  SELECT session_id, 1, revision, status, message_count, ${NOW_MS}
  FROM judged
  WHERE verdict = 'saved' AND session_key IS NULL
  ORDER BY session_id
  ON CONFLICT (session_id) DO NOTHING
  RETURNING session_key, session_id, seq, saved_at
), updated AS (
  UPDATE ${schema}.checkpoints c
  SET seq = c.seq + 1, revision = j.revision, status = j.status, message_count = j.message_count, saved_at = ${NOW_MS},
      saved_epoch = CASE WHEN j.owner IS NULL THEN NULL ELSE j.lease_epoch END
  FROM judged j
  WHERE j.verdict = 'saved' AND c.session_key = j.session_key AND c.seq = j.seq
    AND (j.owner IS NULL OR (c.lease_owner = j.owner AND c.lease_epoch = j.lease_epoch))
  RETURNING c.session_key, c.session_id, c.seq, c.saved_at
), saved AS MATERIALIZED (
  SELECT k.session_key, k.seq, k.saved_at, j.n, j.head, j.message_count, j.omitted, j.save_id
  FROM (SELECT * FROM inserted UNION ALL SELECT * FROM updated) k
  JOIN judged j ON j.session_id = k.session_id
), changed AS MATERIALIZED (
  SELECT s.session_key, s.seq, l.idx, l.body
  FROM unnest($9::bigint[], $10::bigint[], $11::text[]) AS l (n, idx, body)
  JOIN saved s ON s.n = l.n
  WHERE NOT EXISTS (
    SELECT FROM ${schema}.messages m
    WHERE m.session_key = s.session_key AND m.idx = l.idx AND m.until IS NULL AND m.body = l.body
  )
), superseded AS (
  UPDATE ${schema}.messages m
  SET until = s.seq
  FROM saved s
  WHERE m.session_key = s.session_key AND m.idx >= s.omitted AND m.until IS NULL
    AND (m.idx >= s.message_count
      OR EXISTS (SELECT FROM changed c WHERE c.session_key = m.session_key AND c.idx = m.idx))
), added AS (
  INSERT INTO ${schema}.messages (session_key, idx, since, body)
  SELECT session_key, idx, seq, body FROM changed
), kept AS (
  INSERT INTO ${schema}.history (session_key, seq, message_count, saved_at, save_id, head)
  SELECT session_key, seq, message_count, saved_at, save_id, head FROM saved
), forgotten AS (
  DELETE FROM ${schema}.history h
  USING saved s
  WHERE h.session_key = s.session_key AND h.seq <= s.seq - $12::bigint
), unseen AS (
  DELETE FROM ${schema}.messages m
  USING saved s
  WHERE m.session_key = s.session_key AND m.until <= s.seq - $12::bigint + 1
)
SELECT j.n::int AS n, CASE WHEN j.verdict = 'saved' AND s.n IS NULL THEN 'stale' ELSE j.verdict END AS verdict
FROM judged j
LEFT JOIN saved s ON s.n = j.n`;
  // It travels with every save.
  return text.trim().replace(/\s+/g, ' ');
}
