import type { StoreName } from '../stores/store-names.js';
import type { ChildIo } from './child-io.js';
import type { Figure } from './figure.js';

/** One crash test: what it does to a store, and what its child processes do. Listed in crash-tests.ts. */
export interface CrashTest {
  /** As the command line names it. */
  readonly name: string;
  /** One line: what is done, for the head of its table. */
  readonly says: string;
  /** Measures one store. Rejects when it cannot measure, for example at a deadline. */
  run(setup: CrashSetup): Promise<CrashOutcome>;
  /** What its child processes do, by the name that startChild() is given. */
  readonly roles: Readonly<Record<string, ChildRole>>;
}

export interface CrashSetup {
  readonly store: StoreName;
  /** Empty and its own. */
  readonly folder: string;
  /** Repetitions, for the tests that repeat; their own number when absent. */
  readonly rounds?: number;
  /** Child processes that race, for the tests where several do; their own number when absent. */
  readonly processes?: number;
  readonly progress: (done: number, total: number) => void;
}

export type CrashOutcome =
  | { readonly kind: 'measured'; readonly figures: readonly Figure[] }
  | { readonly kind: 'not-measured'; readonly reason: string };

export type ChildRole = (io: ChildIo) => Promise<void>;

/** What the memory store answers where a test needs more than one process. */
export const NEEDS_PROCESSES: CrashOutcome = {
  kind: 'not-measured',
  reason: 'needs several processes, and this store lives in one',
};
