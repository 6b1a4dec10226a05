import { isIn, mutates, pathsOf } from '../trace/mutating-calls.js';
import type { Trace } from '../trace/strace-line.js';

/** One place at which a process can be killed: before the n-th call of a name. */
export interface KillPoint {
  readonly call: string;
  readonly ordinal: number;
  /** How many calls had changed the storage before. */
  readonly position: number;
}

/** Every call of a run that changes something in the folder. */
export function killPoints(trace: Trace, folder: string): readonly KillPoint[] {
  return trace.calls
    .filter((call) => mutates(call, folder))
    .map(({ name, ordinal }, position) => ({ call: name, ordinal, position }));
}

/** How many calls had changed the folder when the process was killed. */
export function positionOf(trace: Trace, folder: string): number {
  return trace.calls.filter((call) => call.result !== undefined && mutates(call, folder)).length;
}

/** So many of them, spread over the whole, with every kind of call among them. */
export function spread<T extends { readonly call: string }>(
  points: readonly T[],
  count: number,
): readonly T[] {
  if (points.length <= count) return points;
  const chosen = new Set<T>();
  const kinds = new Map<string, T[]>();
  for (const point of points) kinds.set(point.call, [...(kinds.get(point.call) ?? []), point]);
  for (const list of kinds.values()) for (const point of [list[0], list.at(-1)]) if (point) chosen.add(point);
  const rest = points.filter((point) => !chosen.has(point));
  const wanted = Math.max(0, count - chosen.size);
  for (let at = 0; at < wanted; at++) chosen.add(rest[Math.floor(((at + 0.5) * rest.length) / wanted)] as T);
  return points.filter((point) => chosen.has(point));
}

/** The calls that read the folder's files. */
export function readPoints(trace: Trace, folder: string): readonly KillPoint[] {
  return pointsNamed(['pread64', 'read'], trace, folder);
}

/** The calls that open something in the folder. */
export function openPoints(trace: Trace, folder: string): readonly KillPoint[] {
  return pointsNamed(['openat', 'open'], trace, folder);
}

function pointsNamed(names: readonly string[], trace: Trace, folder: string): readonly KillPoint[] {
  return trace.calls
    .filter((call) => names.includes(call.name) && pathsOf(call).some((path) => isIn(path, folder)))
    .map(({ name, ordinal }, position) => ({ call: name, ordinal, position }));
}
