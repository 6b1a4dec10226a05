import { CheckpointCorruptError, SDKError } from '@lousho/core/contract';
import { codeOf } from './log-fs.js';

const FULL = ['ENOSPC', 'EDQUOT', 'EFBIG'];
const READ_ONLY = ['EROFS', 'EACCES', 'EPERM'];

/** The coded error for what `node:fs` threw; `undefined` for what is left to the general code. */
export function mapFileError(name: string): (error: unknown, operation: string) => SDKError | undefined {
  return (error, operation) => {
    const code = codeOf(error) ?? '';
    const detail = `${name}: ${operation}() failed: ${error instanceof Error ? error.message : String(error)}`;
    if (FULL.includes(code)) return new SDKError('LOUSHO_STORAGE_FULL', detail, { cause: error });
    if (READ_ONLY.includes(code)) return new SDKError('LOUSHO_STORAGE_READ_ONLY', detail, { cause: error });
    return undefined;
  };
}

export function outcomeUnknown(path: string, cause: unknown): SDKError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new SDKError('LOUSHO_STORE_OUTCOME_UNKNOWN', `${path}: could not be synced to disk: ${reason}`, {
    cause,
  });
}

export interface Damage {
  readonly id: string;
  readonly noun: string;
  readonly path: string;
  readonly offset: number;
}

/** What can still be read before the damage. */
export interface Readable {
  readonly newestRevision: number | undefined;
  /** The highest number that must not be given out again. */
  readonly highest: number;
}

/** Damage in a log: where it is, and what can still be read before it. */
export class DamagedLogError extends CheckpointCorruptError {
  readonly highest: number;

  constructor(damage: Damage, reason: string, readable: Readable) {
    super(
      damage.id,
      `${damage.noun} ${damage.id}: ${damage.path} at byte ${damage.offset}: ${reason}`,
      readable.newestRevision === undefined ? {} : { newestRevision: readable.newestRevision },
    );
    this.highest = readable.highest;
  }
}
