import { type Checkpoint, encode, SDKError } from '../../contract/index.js';

/** Whether two checkpoints say the same. Only their own fields may stand in another order. */
export function isSameCheckpoint(a: Checkpoint | null, b: Checkpoint | null): boolean {
  if (a === null || b === null) return a === b;
  return isSame(inOrder(a), inOrder(b));
}

export function isSame(a: unknown, b: unknown): boolean {
  return encode([a]) === encode([b]);
}

/** The refusal to call something copied that does not read back as it was. */
export function differs(record: string): SDKError {
  return new SDKError(
    'LOUSHO_COPY_DIFFERS',
    `${record} reads back from the target as something else than was written`,
  );
}

function inOrder(checkpoint: Checkpoint): [string, unknown][] {
  return Object.entries(checkpoint)
    .filter(([, value]) => value !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1));
}
