import { type Item, number, text } from './attributes.js';
import type { Call } from './call.js';
import { checkpointKey } from './item-names.js';
import { parseState, type SaveState } from './save-state.js';

/** The one item of an id that changes: its lease and where its saves stand. */
export interface Head {
  readonly exists: boolean;
  readonly state: SaveState | null;
  /** As it is stored: a save replaces exactly this. */
  readonly stateText: string | null;
  readonly lease: HeldLease | null;
  /** Of the latest lease, also after it ended. */
  readonly epoch: number | undefined;
  /** From when the table's TTL may remove it, in seconds. */
  readonly expiresAt: number | undefined;
}

export interface HeldLease {
  readonly owner: string;
  readonly epoch: number;
  /** Counts the renewals: who sees it unchanged for a whole `ttlMs` may take the lease. */
  readonly beat: number;
  readonly ttlMs: number;
  /** Wall-clock milliseconds. */
  readonly since: number;
}

export const LEASE_ATTRIBUTES = ['owner', 'beat', 'ttl', 'since'] as const;

export async function readHead(call: Call, sessionId: string): Promise<Head> {
  return headOf(await call.get(checkpointKey(sessionId)));
}

export function headOf(item: Item | undefined): Head {
  if (!item)
    return {
      exists: false,
      state: null,
      stateText: null,
      lease: null,
      epoch: undefined,
      expiresAt: undefined,
    };
  const stateText = text(item, 'state') ?? null;
  const epoch = number(item, 'epoch');
  return {
    exists: true,
    state: stateText === null ? null : parseState(stateText),
    stateText,
    lease: leaseOf(item, epoch),
    epoch,
    expiresAt: number(item, 'x'),
  };
}

/** As JSON: two owners that differ only in a lone surrogate would be stored as the same UTF-8. */
export function ownerText(owner: string): string {
  return JSON.stringify(owner);
}

function leaseOf(item: Item, epoch: number | undefined): HeldLease | null {
  const owner = text(item, 'owner');
  if (owner === undefined || epoch === undefined) return null;
  return {
    owner: JSON.parse(owner) as string,
    epoch,
    beat: number(item, 'beat') ?? 0,
    ttlMs: number(item, 'ttl') ?? 0,
    since: number(item, 'since') ?? 0,
  };
}
