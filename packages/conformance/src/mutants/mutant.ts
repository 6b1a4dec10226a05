import type { BundledStore, StoreCapabilities } from '@lousho/core/contract';
import type { ReferenceClasses } from '../reference/reference-store.js';

/** The reference store with one thing wrong: what a rule must see. */
export interface Mutant {
  readonly name: string;
  /** What it does wrong. */
  readonly says: string;
  /** The rules that must see it, each by an assertion of its own. */
  readonly killedBy: readonly string[];
  /** Classes in place of the reference's parts. */
  readonly classes?: Partial<ReferenceClasses>;
  /** What it declares in place of what it keeps. */
  readonly capabilities?: StoreCapabilities;
  /** Around each client, for what no part does alone. */
  readonly around?: (store: BundledStore) => BundledStore;
}

/** A store that does something unusual and nothing wrong: no rule may see it. */
export type Control = Omit<Mutant, 'killedBy'>;
