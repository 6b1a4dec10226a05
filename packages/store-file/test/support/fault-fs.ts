import nodeFs from 'node:fs';
import type { LogFs } from '@lousho/store-file';

export type FsCall = keyof LogFs;

/** Every call that the store makes, in the order of the type. */
export const FS_CALLS: readonly FsCall[] = [
  'openSync',
  'closeSync',
  'readSync',
  'writeSync',
  'fstatSync',
  'statSync',
  'readdirSync',
  'mkdirSync',
  'renameSync',
  'unlinkSync',
  'rmdirSync',
  'statfsSync',
  'fdatasync',
  'fsync',
];

export interface FaultFsOptions {
  /** Runs before each call; may throw the error that the call shall fail with. */
  readonly before?: (call: FsCall, args: readonly unknown[]) => void;
  /** Syncs do nothing, which is quicker where no power cut is modelled. */
  readonly withoutSync?: boolean;
}

/** The real file system with something before each call. */
export function faultFs({ before = () => undefined, withoutSync = false }: FaultFsOptions): LogFs {
  const wrapped: Record<string, unknown> = {};
  for (const call of FS_CALLS) {
    const real = nodeFs[call] as (...args: unknown[]) => unknown;
    wrapped[call] = (...args: unknown[]) => {
      const callback =
        call === 'fdatasync' || call === 'fsync' ? (args[1] as (e?: unknown) => void) : undefined;
      try {
        before(call, args);
      } catch (error) {
        if (!callback) throw error;
        setImmediate(callback, error);
        return undefined;
      }
      if (callback && withoutSync) return void setImmediate(callback, null);
      return real(...args);
    };
  }
  return wrapped as unknown as LogFs;
}

export function errno(code: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`${code}: injected`), { code });
}
