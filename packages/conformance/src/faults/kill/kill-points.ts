import { isIn, mutates, pathsOf } from '../trace/mutating-calls.js';
import type { Trace, TracedCall } from '../trace/strace-line.js';

/** One place at which a process can be killed: before the n-th call of a name. */
export interface KillPoint {
  readonly call: string;
  /** How many calls of this name its thread has made by then, this one included: what a tracer counts. Differs from run to run. */
  readonly ordinal: number;
  /** Which one it is of the calls of this name that touch the storage: the same in every run. */
  readonly nth: number;
  /** How many calls had changed the storage before. */
  readonly position: number;
}

/** A call of a run that touches the storage. */
export interface Touch {
  readonly call: TracedCall;
  readonly nth: number;
}

export function touches(trace: Trace, folder: string): readonly Touch[] {
  const counts = new Map<string, number>();
  return trace.calls
    .filter((call) => pathsOf(call).some((path) => isIn(path, folder)))
    .map((call) => {
      const nth = (counts.get(call.name) ?? 0) + 1;
      counts.set(call.name, nth);
      return { call, nth };
    });
}

/** Every call of a run that changes something in the folder. */
export function killPoints(trace: Trace, folder: string): readonly KillPoint[] {
  return points(trace, folder, (call) => mutates(call, folder));
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
  return points(trace, folder, ({ name }) => ['pread64', 'read'].includes(name));
}

/** The calls that open something in the folder. */
export function openPoints(trace: Trace, folder: string): readonly KillPoint[] {
  return points(trace, folder, ({ name }) => ['openat', 'open'].includes(name));
}

function points(trace: Trace, folder: string, isOne: (call: TracedCall) => boolean): readonly KillPoint[] {
  return touches(trace, folder)
    .filter(({ call }) => isOne(call))
    .map(({ call: { name, ordinal }, nth }, position) => ({ call: name, ordinal, nth, position }));
}
