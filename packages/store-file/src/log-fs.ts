import { nodeFs } from './late-modules.js';

/**
 * What the store asks of `node:fs`; a test may pass its own to inject faults. Reading and the one write of an append are
 * synchronous, so that nothing in this process comes between the fold of a log and the record that continues it.
 */
export type LogFs = Pick<
  typeof import('node:fs'),
  | 'openSync'
  | 'closeSync'
  | 'readSync'
  | 'writeSync'
  | 'fstatSync'
  | 'statSync'
  | 'readdirSync'
  | 'mkdirSync'
  | 'renameSync'
  | 'unlinkSync'
  | 'rmdirSync'
  | 'statfsSync'
  | 'fdatasync'
  | 'fsync'
>;

export function fdatasync(fs: LogFs, fd: number): Promise<void> {
  return new Promise((resolve, reject) => fs.fdatasync(fd, (error) => (error ? reject(error) : resolve())));
}

/** Makes the names in a directory durable. A directory that is gone has none. */
export async function syncDirectory(fs: LogFs, path: string): Promise<void> {
  // Windows cannot sync a directory; there a name may be lost in a power cut, never by a killed process.
  if (process.platform === 'win32') return;
  const fd = ignoring(['ENOENT'], () => fs.openSync(path, nodeFs().constants.O_RDONLY));
  if (fd === undefined) return;
  try {
    await new Promise<void>((resolve, reject) =>
      fs.fsync(fd, (error) => (error ? reject(error) : resolve())),
    );
  } finally {
    fs.closeSync(fd);
  }
}

export function codeOf(error: unknown): string | undefined {
  return error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
}

/** The result, or `undefined` when the call failed with one of these codes. */
export function ignoring<T>(codes: readonly string[], work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (codes.includes(codeOf(error) ?? '')) return undefined;
    throw error;
  }
}
