import type { Checkpoint } from '../../contract/index.js';
import { isSameCheckpoint } from './same-record.js';

/** What a store keeps of one id. */
export interface KeptRun {
  /** The kept saves, oldest first, the latest included; without the marks of copies. */
  readonly saves: readonly Checkpoint[];
  /** `null`: deleted, of which the history is kept. */
  readonly latest: Checkpoint | null;
}

export type RunPlan =
  | { readonly kind: 'copy'; readonly saves: readonly Checkpoint[]; readonly endsDeleted: boolean }
  | { readonly kind: 'unchanged' }
  /** The target has gone on by itself. */
  | { readonly kind: 'newer' }
  /** The source has nothing but the mark of a copy. */
  | { readonly kind: 'moved' };

export function isMoved(checkpoint: Checkpoint | null): boolean {
  return checkpoint?.movedAt !== undefined;
}

/** The saves without the marks of copies, and without the save that took a mark away by being made again. Oldest first. */
export function withoutMarks(saves: readonly Checkpoint[]): Checkpoint[] {
  const kept: Checkpoint[] = [];
  for (const [at, save] of saves.entries()) {
    const isReopened =
      at > 0 && isMoved(saves[at - 1] ?? null) && isSameCheckpoint(save, kept.at(-1) ?? null);
    if (!isMoved(save) && !isReopened) kept.push(save);
  }
  return kept;
}

/** What the target lacks. It is continued only from a state that the source was in. */
export function planRun(source: KeptRun, target: KeptRun): RunPlan {
  if (isMoved(source.latest)) return { kind: 'moved' };
  const newest = target.saves.at(-1);
  const endsDeleted = source.latest === null;
  if (!newest) return source.saves.length === 0 ? { kind: 'unchanged' } : copy(source.saves, endsDeleted);
  const at = source.saves.findLastIndex((save) => isSameCheckpoint(save, newest));
  if (at < 0) return { kind: 'newer' };
  const missing = source.saves.slice(at + 1);
  if (missing.length > 0) return copy(missing, endsDeleted);
  if (endsDeleted) return target.latest === null ? { kind: 'unchanged' } : copy([], true);
  // Deleted there, after it had come from here.
  if (target.latest === null) return { kind: 'newer' };
  // It was moved away from there before, and comes back as it was.
  return isMoved(target.latest) ? copy([newest], false) : { kind: 'unchanged' };
}

function copy(saves: readonly Checkpoint[], endsDeleted: boolean): RunPlan {
  return { kind: 'copy', saves, endsDeleted };
}
