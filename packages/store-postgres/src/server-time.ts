/** The server's time in whole milliseconds, read at the moment of the decision: `now()` stands still within a statement that waits. */
export const NOW_MS = 'floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint';

/** The condition under which the lease of the row `c` is live. */
export const IS_LEASED = `(c.lease_owner IS NOT NULL AND c.lease_expires_at > ${NOW_MS})`;
