import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** The library that shifts a process's clocks, where it is installed. */
export function faketimeLibrary(): string | undefined {
  const roots = ['/usr/lib', '/usr/local/lib', '/usr/lib64'];
  const folders = roots.filter(existsSync).flatMap((root) => [root, ...foldersIn(root)]);
  return folders.map((folder) => join(folder, 'faketime', 'libfaketime.so.1')).find(existsSync);
}

export interface FakedTime {
  /** `+24`, `+24 x3`, in seconds; a file from which it is read again at every call. */
  readonly offset?: string;
  readonly file?: string;
  /** Moves the monotonic clock as well: the process lives at another moment, instead of having a wrong wall clock. */
  readonly isMoment?: boolean;
}

/** The environment of a process with other clocks. */
export function fakedTime(
  library: string,
  { offset, file, isMoment = false }: FakedTime,
): Record<string, string> {
  return {
    LD_PRELOAD: library,
    // Without it a jump is seen late.
    FAKETIME_NO_CACHE: '1',
    FAKETIME_DONT_RESET: '1',
    FAKETIME_DONT_FAKE_MONOTONIC: isMoment ? '0' : '1',
    ...(offset !== undefined && { FAKETIME: offset }),
    ...(file !== undefined && { FAKETIME_TIMESTAMP_FILE: file }),
  };
}

function foldersIn(root: string): readonly string[] {
  return readdirSync(root, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name.includes('linux'))
    .map((entry) => join(root, entry.name));
}
