import type { Checkpoint, Message } from '../contract/index.js';
import { type AlignedPair, align } from './align.js';
import { canonical } from './canonical.js';
import { isCheckpoint, stepKey, type TrajectoryCall, type TrajectoryStep, trajectory } from './trajectory.js';

/** One way in which two runs differ. */
export interface DriftEntry {
  readonly field: 'tools' | 'args' | 'steps' | 'finishReason';
  readonly committed: unknown;
  readonly current: unknown;
}

export interface TrajectoryComparison {
  readonly a: readonly TrajectoryStep[];
  readonly b: readonly TrajectoryStep[];
  /** 1-based number of the first step that differs, ids aside; `null` when the runs are equal. */
  readonly divergedAt: number | null;
  /** Differences in the order of tools, their arguments, the number of steps and the finish reason. */
  readonly drift: readonly DriftEntry[];
  /** The steps side by side: equal ones share a pair. */
  readonly aligned: readonly AlignedPair[];
}

/** Compares two runs step by step. A step includes the results of its calls. */
export function compareTrajectories(
  a: Checkpoint | readonly Message[],
  b: Checkpoint | readonly Message[],
): TrajectoryComparison {
  const [left, right] = [trajectory(a), trajectory(b)];
  const [leftKeys, rightKeys] = [left.map(stepKey), right.map(stepKey)];
  return {
    a: left,
    b: right,
    divergedAt: firstDifference(leftKeys, rightKeys),
    drift: [...toolDrift(left, right), ...countDrift(left, right), ...reasonDrift(a, b)],
    aligned: align(leftKeys, rightKeys),
  };
}

function firstDifference(a: readonly string[], b: readonly string[]): number | null {
  const length = Math.max(a.length, b.length);
  for (let index = 0; index < length; index++) if (a[index] !== b[index]) return index + 1;
  return null;
}

function toolDrift(a: readonly TrajectoryStep[], b: readonly TrajectoryStep[]): DriftEntry[] {
  const [left, right] = [a.flatMap(({ tools }) => tools), b.flatMap(({ tools }) => tools)];
  const [leftNames, rightNames] = [left.map(({ name }) => name), right.map(({ name }) => name)];
  const order: DriftEntry[] =
    leftNames.join('\n') === rightNames.join('\n')
      ? []
      : [{ field: 'tools', committed: leftNames, current: rightNames }];
  const args = align(leftNames, rightNames).flatMap((pair) =>
    argsDrift(left[pair.a ?? -1], right[pair.b ?? -1]),
  );
  return [...order, ...args];
}

function argsDrift(a: TrajectoryCall | undefined, b: TrajectoryCall | undefined): DriftEntry[] {
  if (!a || !b || canonical(a.args) === canonical(b.args)) return [];
  return [
    { field: 'args', committed: { name: a.name, args: a.args }, current: { name: b.name, args: b.args } },
  ];
}

function countDrift(a: readonly TrajectoryStep[], b: readonly TrajectoryStep[]): DriftEntry[] {
  return a.length === b.length ? [] : [{ field: 'steps', committed: a.length, current: b.length }];
}

function reasonDrift(a: Checkpoint | readonly Message[], b: Checkpoint | readonly Message[]): DriftEntry[] {
  const [committed, current] = [finishReasonOf(a), finishReasonOf(b)];
  if (committed === undefined || current === undefined || committed === current) return [];
  return [{ field: 'finishReason', committed, current }];
}

function finishReasonOf(run: Checkpoint | readonly Message[]): string | undefined {
  return isCheckpoint(run) ? run.finishReason : undefined;
}
