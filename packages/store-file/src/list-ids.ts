import { compareIds } from '@lousho/core/contract';
import { idOfName } from './file-names.js';
import type { LogCollection } from './log-collection.js';
import { DamagedLogError } from './log-errors.js';

/** Ids per turn of the event loop, so that a long listing does not hold up everything else. */
const IDS_PER_TURN = 64;

/** The ids of all logs of one kind behind `after`, in code-point order. Opens one file at a time. */
export async function* listIds<S>(logs: LogCollection<S>, after?: string): AsyncGenerator<string> {
  const ids = await allIds(logs);
  let count = 0;
  for (const id of ids.sort(compareIds)) {
    if (after !== undefined && compareIds(id, after) <= 0) continue;
    if (++count % IDS_PER_TURN === 0) await new Promise((resolve) => setImmediate(resolve));
    yield id;
  }
}

/** The ids whose record is there. One that cannot be read is: loading it says what is wrong with it. */
export async function idsWith<S>(logs: LogCollection<S>, isThere: (state: S) => boolean): Promise<string[]> {
  const ids: string[] = [];
  for await (const id of listIds(logs)) {
    const found = await logs.glance(id, isThere).catch((error: unknown) => {
      if (error instanceof DamagedLogError) return true;
      throw error;
    });
    if (found) ids.push(id);
  }
  return ids;
}

async function allIds<S>(logs: LogCollection<S>): Promise<string[]> {
  const ids: string[] = [];
  for (const name of logs.names()) {
    const known = idOfName(name);
    if (known === null) continue;
    const id = known === 'hashed' ? await logs.idOfHashed(name) : known.id;
    if (id !== undefined) ids.push(id);
  }
  return ids;
}
