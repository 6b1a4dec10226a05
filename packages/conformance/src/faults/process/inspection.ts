import type { JournalEntry } from '../storage/journal.js';
import type { Ids, StorageState } from '../storage/storage-state.js';

export interface InspectRequest {
  readonly module: string;
  readonly config: unknown;
  readonly flow: string;
  readonly ids: Ids;
  readonly owner: string;
  /** Whether to run the flow as well, from what is there. */
  readonly goesOn: boolean;
}

/** What a process finds in a storage that another one left. */
export interface Inspection {
  readonly found: StorageState | Refused;
  /** The epoch under which the flow's id was granted, `false` when it was not; absent when the flow takes no lease. */
  readonly lease?: { readonly granted: boolean; readonly epoch?: number };
  /** Whether the lease of the bystander, whose holder lives, was granted. */
  readonly tookBystander?: boolean;
  /** What running the flow again did. */
  readonly journal: readonly JournalEntry[];
  readonly failure?: string;
  readonly after?: StorageState | Refused;
}

export interface Refused {
  readonly code?: string;
  readonly message: string;
}

export interface InspectReply {
  readonly inspection?: Inspection;
  readonly failure?: string;
}

export function isRefused(found: StorageState | Refused): found is Refused {
  return 'message' in found;
}
