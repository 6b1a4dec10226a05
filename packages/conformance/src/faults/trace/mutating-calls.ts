import { fileOf, type TracedCall, textOf } from './strace-line.js';

/** Every call that changes a file's content or name, or brings it to disk. */
export const MUTATING_CALLS = [
  'open',
  'openat',
  'creat',
  'mkdir',
  'mkdirat',
  'rename',
  'renameat',
  'renameat2',
  'unlink',
  'unlinkat',
  'rmdir',
  'link',
  'linkat',
  'symlink',
  'symlinkat',
  'write',
  'writev',
  'pwrite64',
  'pwritev',
  'pwritev2',
  'ftruncate',
  'truncate',
  'fallocate',
  'copy_file_range',
  'sendfile',
  'fsync',
  'fdatasync',
  'sync_file_range',
] as const;

export const READING_CALLS = ['pread64', 'read'] as const;

/** `?` has strace pass over calls that this machine does not have. */
export function traceOf(calls: readonly string[]): string {
  return `trace=${calls.map((call) => `?${call}`).join(',')}`;
}

/** Whether a call changes something in the folder, or brings it to disk. */
export function mutates(call: TracedCall, folder: string): boolean {
  if (!pathsOf(call).some((path) => isIn(path, folder))) return false;
  return call.name !== 'openat' && call.name !== 'open'
    ? true
    : call.args.some((arg) => /O_CREAT|O_TRUNC/.test(arg));
}

/** The files that a call names or has open. */
export function pathsOf({ args }: TracedCall): readonly string[] {
  const paths: string[] = [];
  for (const arg of args) {
    const path = arg.startsWith('"/') ? textOf(arg) : fileOf(arg);
    if (path !== undefined && !arg.startsWith('AT_FDCWD')) paths.push(path);
  }
  return paths;
}

export function isIn(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`);
}
