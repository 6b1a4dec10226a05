import type { Patch } from './patched-mutant.js';
import { PATCHES } from './patches-variable.js';

const IMPORT = new URL('./module-patches.js', import.meta.url).href;

/** The environment of a process whose modules are patched; the processes that it starts inherit it. */
export function patchedEnv(patches: readonly Patch[]): NodeJS.ProcessEnv {
  return { ...process.env, NODE_OPTIONS: `--import ${IMPORT}`, [PATCHES]: JSON.stringify(patches) };
}
