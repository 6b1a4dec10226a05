/** The environment variable with the patches of a process, as JSON. */
export const PATCHES = 'LOUSHO_PATCHES';

/** Set in each patched module's process: the files that were patched there. */
export const APPLIED = 'loushoPatched';
