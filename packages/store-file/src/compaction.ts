import type { LogFile } from './log-file.js';
import type { LogSite } from './log-site.js';
import { sealEntry } from './seal.js';

/**
 * Moves a log on to a new file that holds only its content. The durable successor is built first, under a name that is unique for
 * ever; the one record that names it is the switch. Before that record there is only rubbish, after it all is complete.
 *
 * `false` when others wrote meanwhile: then nothing has changed.
 */
export async function compact<S>(site: LogSite<S>, log: LogFile<S>): Promise<boolean> {
  log.read();
  if (log.history.sealed) return false;
  // Taken together: the seal must continue exactly the history that the snapshot holds.
  const { basis, state, birth } = log.history;
  const entry = site.snapshot(state, birth);
  const generation = log.parts.name.generation + 1;
  const candidate = await site.directory.writeSnapshot({ generation, kind: 'cand' }, entry);
  const isSealed = log.append(sealEntry(candidate.nonce), basis);
  if (!isSealed) {
    site.directory.remove(candidate);
    return false;
  }
  await site.advance(log, candidate.nonce);
  return true;
}
