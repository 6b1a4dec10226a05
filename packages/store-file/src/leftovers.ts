import { ignoring, type LogFs } from './log-fs.js';
import { NEW_PREFIX } from './log-site.js';
import { KINDS, type StoreDirectory } from './store-directory.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Removes what processes that died left behind: half-made logs, and heartbeats that have been silent for longer than any lease. */
export function removeLeftovers(fs: LogFs, directory: StoreDirectory, wallNow: number): void {
  for (const kind of KINDS) {
    const root = directory.of(kind);
    for (const name of namesIn(fs, root)) {
      if (name.startsWith(NEW_PREFIX) && isOlder(fs, `${root}/${name}`, wallNow - HOUR_MS)) {
        removeFlat(fs, `${root}/${name}`);
      }
    }
  }
  const heartbeats = directory.of('heartbeats');
  for (const name of namesIn(fs, heartbeats)) {
    const path = `${heartbeats}/${name}`;
    if (isOlder(fs, path, wallNow - DAY_MS)) ignoring(['ENOENT'], () => fs.unlinkSync(path));
  }
}

function removeFlat(fs: LogFs, path: string): void {
  for (const name of namesIn(fs, path)) ignoring(['ENOENT'], () => fs.unlinkSync(`${path}/${name}`));
  ignoring(['ENOENT', 'ENOTEMPTY', 'EEXIST'], () => fs.rmdirSync(path));
}

function namesIn(fs: LogFs, path: string): string[] {
  return ignoring(['ENOENT'], () => fs.readdirSync(path)) ?? [];
}

function isOlder(fs: LogFs, path: string, wallMs: number): boolean {
  const stat = fs.statSync(path, { throwIfNoEntry: false });
  return stat !== undefined && stat.mtimeMs < wallMs;
}
