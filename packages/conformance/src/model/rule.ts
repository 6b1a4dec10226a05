import type { World } from '../world/world.js';
import type { Needs } from './needs.js';

/** 0: in this process. 1: several processes. 2: faults of the operating system. 3: real servers. */
export type Tier = 0 | 1 | 2 | 3;

/** One sentence of docs/contract.md with a check of it. A rule is data; `runner.ts` runs it. */
export interface Rule {
  /** The sentence's id; a sentence that is checked in several ways has a name behind it: `LEASE-13:processes`. */
  readonly id: string;
  /** `LEASE`. */
  readonly family: string;
  /** The sentence, word by word. */
  readonly says: string;
  readonly needs: Needs;
  readonly tier: Tier;
  /** Set where the check lets several act at once, or lets something break. */
  readonly under?: 'concurrency' | 'fault';
  /** Milliseconds after which a check counts as failed, where that is longer than the run's own limit. */
  readonly timeLimitMs?: number;
  /** Rejects with a `Violation` when the promise is broken. Everything it needs is made from `world`, which ends with it. */
  check(world: World): Promise<void>;
}

/** One way of checking a sentence. */
export interface Check extends Pick<Rule, 'check' | 'under' | 'timeLimitMs'> {
  /** What tells it from the sentence's other checks; the first one has none. */
  readonly name?: string;
  readonly needs?: Needs;
  /** Default 0. */
  readonly tier?: Tier;
}

/** A sentence and the ways in which it is checked. */
export function sentence(id: string, says: string, ...checks: readonly Check[]): readonly Rule[] {
  return checks.map(({ name, needs = {}, tier = 0, ...rest }) => ({
    id: name === undefined ? id : `${id}:${name}`,
    family: id.slice(0, id.indexOf('-')),
    says,
    needs,
    tier,
    ...rest,
  }));
}

/** `LEASE-13` of `LEASE-13:processes`. */
export function sentenceOf(id: string): string {
  return id.split(':', 1)[0] as string;
}
