import type { Entry } from './record-line.js';

/** The last record of a file. What stands before it is in the successor that it names; `null` says that the id is gone. */
export interface SealRecord {
  readonly k: 'seal';
  readonly next: string | null;
}

export function sealEntry(next: string | null): Entry<SealRecord> {
  return { fields: { k: 'seal', next }, texts: [] };
}
