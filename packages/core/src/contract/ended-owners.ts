/**
 * Lease owners whose run has ended in this copy of the SDK though their release could not be confirmed (the store failed, or the
 * run was cut off). Owner ids are used once, so being listed here proves that nobody will act under that owner again: a store that
 * declares `deathProof` may hand its lease on at once. Bounded: the oldest entries go first, and those then wait for the expiry.
 */
const endedOwners = new Set<string>();
const MAX_REMEMBERED = 10_000;

export function markOwnerEnded(owner: string): void {
  endedOwners.add(owner);
  if (endedOwners.size > MAX_REMEMBERED) {
    const [oldest] = endedOwners;
    if (oldest !== undefined) endedOwners.delete(oldest);
  }
}

export function hasOwnerEnded(owner: string): boolean {
  return endedOwners.has(owner);
}
