import type { ExecutionSnapshot } from './approval-store.js';
import { SDKError } from './errors.js';

/** The format of the records that this version writes. A record that names none is of this one. */
export const RECORD_FORMAT = 1;

/** Refuses, with `LOUSHO_STORAGE_INCOMPATIBLE`, what a newer version wrote: this one would lose what it does not understand. */
export function assertFormat(record: string, value: unknown): void {
  const { format } = (value ?? {}) as { readonly format?: unknown };
  if (typeof format !== 'number' || format <= RECORD_FORMAT) return;
  throw new SDKError(
    'LOUSHO_STORAGE_INCOMPATIBLE',
    `${record} has format ${format}; this version reads up to ${RECORD_FORMAT}`,
  );
}

export function assertSnapshotFormat(approvalId: string, snapshot: ExecutionSnapshot): void {
  assertFormat(`approval ${approvalId}`, snapshot.run);
}

/** Whether a record is there and cannot be read: listings show it, with the reason, beside the others. */
export function isUnreadable(error: unknown): error is SDKError {
  if (!(error instanceof SDKError)) return false;
  return error.code === 'LOUSHO_CHECKPOINT_CORRUPT' || error.code === 'LOUSHO_STORAGE_INCOMPATIBLE';
}
