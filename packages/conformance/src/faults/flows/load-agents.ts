import type * as Core from '@lousho/core';

let loaded: Promise<typeof Core> | undefined;

/** What agents are made by. Three of four modules that a process could load are behind it, and most flows make no agent. */
export function loadAgents(): Promise<typeof Core> {
  loaded ??= import('@lousho/core');
  return loaded;
}
