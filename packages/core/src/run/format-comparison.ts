import type { TrajectoryComparison } from './compare.js';
import type { TrajectoryStep } from './trajectory.js';

const MAX_TEXT = 100;

/** A comparison for a person to read: equal steps once, different ones as `-` (first run) and `+` (second run). */
export function formatComparison(comparison: TrajectoryComparison): string {
  const { a, b, divergedAt, drift, aligned } = comparison;
  const head = divergedAt === null ? 'The runs are equal.' : `The runs differ from step ${divergedAt} on.`;
  const steps = aligned.flatMap((pair) => {
    if (pair.a !== undefined && pair.b !== undefined) return lines(' ', pair.a, a[pair.a]);
    return pair.a === undefined ? lines('+', pair.b ?? 0, b[pair.b ?? 0]) : lines('-', pair.a, a[pair.a]);
  });
  const notes = drift.map(
    ({ field, committed, current }) => `${field}: ${short(committed)} -> ${short(current)}`,
  );
  return [head, '', ...steps, ...(notes.length > 0 ? ['', ...notes] : [])].join('\n');
}

function lines(mark: string, index: number, step: TrajectoryStep | undefined): string[] {
  if (!step) return [];
  const said = step.text === '' ? [] : [`${mark} ${index + 1}  ${clip(step.text)}`];
  const called = step.tools.map(
    ({ name, args, result }) =>
      `${mark} ${index + 1}  ${name}(${short(args)}) -> ${result === undefined ? '…' : short(result)}`,
  );
  return [...said, ...called];
}

function short(value: unknown): string {
  return clip(typeof value === 'string' ? value : (JSON.stringify(value) ?? 'undefined'));
}

function clip(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ');
  return line.length > MAX_TEXT ? `${line.slice(0, MAX_TEXT)}…` : line;
}
