import type { InitializeHook, LoadHook } from 'node:module';
import type { Patch } from './patched-mutant.js';
import { APPLIED } from './patches-variable.js';

let patches: readonly Patch[] = [];

export const initialize: InitializeHook<readonly Patch[]> = async (data) => {
  patches = data;
};

export const load: LoadHook = async (url, context, nextLoad) => {
  const loaded = await nextLoad(url, context);
  const own = patches.filter(({ file }) => url.endsWith(`/packages/${file}`));
  if (own.length === 0) return loaded;
  const source = own.reduce(patched, `${loaded.source}`);
  return { ...loaded, source: `${source}\n(globalThis.${APPLIED} ??= []).push(import.meta.url);\n` };
};

/** A patch that no longer fits would leave the module as it is: then the mutant would not be one. */
function patched(source: string, { file, find, replace }: Patch): string {
  const pieces = source.split(find);
  if (pieces.length !== 2) throw new Error(`${file} has ${pieces.length - 1} places that read: ${find}`);
  return pieces.join(replace);
}
