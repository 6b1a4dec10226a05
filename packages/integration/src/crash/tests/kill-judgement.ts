import type { CrashPoint } from '@lousho/core/testing';
import { atMost, exactly, type Figure, told } from '../figure.js';
import { sum } from '../statistics.js';

/** What a run came to whose first process died at one point. */
export interface KilledLife {
  readonly point: CrashPoint;
  readonly wasKilled: boolean;
  readonly isFinished: boolean;
  /** Valid, and the same as without a crash. */
  readonly isTranscriptRight: boolean;
  /** How often each tool took effect, over both processes. */
  readonly toolEffects: readonly number[];
  /** Tools that the second process ran though their result was stored. */
  readonly repeatedRecordedTools: number;
  /** Model answers that the second process asked for though they were stored. */
  readonly repeatedRecordedAnswers: number;
}

export function judgeKills(lives: readonly KilledLife[]): Figure[] {
  const count = (holds: (life: KilledLife) => boolean) => lives.filter(holds).length;
  const after = lives.filter(({ point }) => point.side === 'after');
  const before = lives.filter(({ point }) => point.side === 'before');
  return [
    told('kill points', lives.length),
    exactly(
      'killed there',
      count((life) => life.wasKilled),
      lives.length,
    ),
    exactly(
      'run finished by the second process',
      count((life) => life.isFinished),
      lives.length,
    ),
    exactly(
      'points that repeat a recorded tool',
      count((life) => life.repeatedRecordedTools > 0),
      0,
    ),
    exactly(
      'stored model answers asked for again',
      sum(lives.map((life) => life.repeatedRecordedAnswers)),
      0,
    ),
    exactly(
      'final transcripts that differ',
      count((life) => !life.isTranscriptRight),
      0,
    ),
    exactly('killed after a call: tools not run exactly once', sum(after.map(notOnce)), 0),
    // The kill falls between a tool's effect and its record once for each of the three tools.
    atMost('killed before a call: tools not run exactly once', sum(before.map(notOnce)), 3),
    exactly(
      'tools run more than twice',
      sum(lives.map(({ toolEffects }) => toolEffects.filter((n) => n > 2).length)),
      0,
    ),
  ];
}

/** Of the three tools. */
function notOnce({ toolEffects }: KilledLife): number {
  return 3 - toolEffects.filter((effects) => effects === 1).length;
}
