import { decode } from '@lousho/core/contract';
import type { CheckpointState } from './checkpoint-state.js';
import type { LeaseJudge } from './lease-judge.js';

/** The ids under which something is under way, and whose transcripts and decisions are therefore still needed. */
export class OpenRuns {
  readonly #ids = new Set<string>();

  add(id: string): void {
    this.#ids.add(id.replace(/\.(turn-\d+|paused)$/, ''));
    this.#ids.add(id);
  }

  /** Whether the id, or a turn of it (`<id>.turn-<n>`, `<id>.paused`), is under way. */
  needs(id: string): boolean {
    return this.#ids.has(id);
  }

  isOpen(state: CheckpointState, judge: LeaseJudge): boolean {
    return (state.head !== null && state.head.status !== 'finished') || isHeld(state, judge);
  }
}

/** Whether a lease lives. One that its holder left to expire keeps nothing. */
export function isHeld({ lease }: CheckpointState, judge: LeaseJudge): boolean {
  return judge.takeable(lease) === null;
}

/** The ids of the runs that an approval names. */
export function runsOf(body: string): string[] {
  interface Named {
    readonly sessionId?: unknown;
  }
  const { approval, snapshot } = decode(body) as {
    readonly approval?: Named;
    readonly snapshot?: { readonly checkpoint?: Named };
  };
  return [approval?.sessionId, snapshot?.checkpoint?.sessionId].filter((id) => typeof id === 'string');
}
