import type { Clock } from '@lousho/core/contract';
import type { ReferenceStorage } from './reference-storage.js';

/** What the parts of one client of the reference store share. */
export interface ReferenceParts {
  readonly storage: ReferenceStorage;
  readonly clock: Clock;
  readonly historyLimit: number;
  readonly graceMs: number;
  /** Awaited before and after each step, so that a scheduler can come between. A step itself is synchronous. */
  readonly point: SchedulingPoint;
}

/** `checkpoints.save` before the step, `checkpoints.save:done` after it and before the answer. */
export type SchedulingPoint = (name: string) => Promise<void>;

/** One operation: a point, one synchronous step that does all, a point. */
export async function step<T>({ point }: ReferenceParts, name: string, work: () => T): Promise<T> {
  await point(name);
  const answer = work();
  await point(`${name}:done`);
  return answer;
}
