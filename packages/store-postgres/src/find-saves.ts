import { textArray } from './arrays.js';
import type { Database } from './database.js';
import type { SaveRequest } from './save-statement.js';

/** The ids of those saves that are in the history. A save that is not found may have been forgotten, or be under way still. */
export async function findSaves(
  database: Database,
  schema: string,
  saves: readonly SaveRequest[],
  deadline: number,
): Promise<ReadonlySet<string>> {
  const rows = await database.run(
    `SELECT h.save_id
     FROM ${schema}.checkpoints c
     JOIN ${schema}.history h USING (session_key)
     WHERE c.session_id = ANY ($1::text[]) AND h.save_id = ANY ($2::text[])`,
    [textArray(saves.map(({ write }) => write.sessionId)), textArray(saves.map(({ saveId }) => saveId))],
    deadline,
  );
  return new Set(rows.map((row) => String(row.save_id)));
}
