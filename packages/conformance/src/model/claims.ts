import type { StoreCapabilities } from '@lousho/core/contract';
import { CLAIMS, type ClaimName } from './needs.js';

/** A store's capabilities with every absent value filled in: the weakest one. */
export type Claims = {
  readonly [K in ClaimName]: (typeof CLAIMS)[K][number];
} & {
  readonly graceMs: number;
  readonly limits: NonNullable<StoreCapabilities['limits']>;
};

export function claimsOf(capabilities: StoreCapabilities = {}): Claims {
  const named = Object.entries(CLAIMS).map(([name, values]) => [
    name,
    capabilities[name as ClaimName] ?? values.at(-1),
  ]);
  return {
    ...Object.fromEntries(named),
    graceMs: capabilities.graceMs ?? 0,
    limits: capabilities.limits ?? {},
  } as Claims;
}
