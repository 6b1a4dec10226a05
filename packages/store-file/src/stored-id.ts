import { nameOfId } from './file-names.js';
import { LogDirectory } from './log-directory.js';
import { ignoring, type LogFs } from './log-fs.js';
import { fileOf } from './log-names.js';

/** A snapshot's fields start with its id, so its first bytes are enough. */
const HEAD_BYTES = 1_024;
const ID = /^[0-9a-f]{8} \{"k":"snap","v":\d+,"id":"([A-Za-z0-9_.-]+)"/;

/** The id in a log whose directory has a shortened name; `undefined` when it is not there or not the one of this name. */
export function readStoredId(fs: LogFs, path: string): string | undefined {
  const newest = new LogDirectory(fs, path).list()?.logs[0];
  if (newest === undefined) return undefined;
  const fd = ignoring(['ENOENT'], () => fs.openSync(`${path}/${fileOf(newest)}`, 'r'));
  if (fd === undefined) return undefined;
  try {
    const bytes = Buffer.alloc(HEAD_BYTES);
    const count = fs.readSync(fd, bytes, 0, HEAD_BYTES, 0);
    const id = ID.exec(bytes.toString('latin1', 0, count))?.[1];
    return id !== undefined && path.endsWith(`/${nameOfId(id)}`) ? id : undefined;
  } finally {
    fs.closeSync(fd);
  }
}
