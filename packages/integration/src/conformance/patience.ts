/** Milliseconds for one rule: enough for a server on a machine that does much else. It ends what hangs, and judges no speed. */
export const PATIENCE_MS = 300_000;
