import { exactly, type Figure, told } from '../figure.js';
import { median, sum } from '../statistics.js';
import { ALREADY_DECIDED, type GatedRun } from './gated-run.js';

/** A run whose process died inside the approved call. */
export interface InterruptedRun {
  readonly wasKilled: boolean;
  /** The process that decided and died. */
  readonly deciderPid: number;
  /** Approvals of the storage that waited for somebody after the kill. */
  readonly undecidedBetween: number;
  readonly isByRecover: boolean;
  /** What the second process made of it, in a word. */
  readonly recovery: string;
  /** What somebody was told who clicked again. */
  readonly secondClick: string;
  /** From the end of the killed process. */
  readonly finishedMs: number;
  readonly run: GatedRun;
}

export function judgeInterruptions(lives: readonly InterruptedRun[]): Figure[] {
  const all = lives.length;
  const runs = lives.map((life) => life.run);
  const count = (holds: (life: InterruptedRun) => boolean) => lives.filter(holds).length;
  const words = (of: (life: InterruptedRun) => string) => [...new Set(lives.map(of))].join(', ');
  return [
    told('rounds', all),
    exactly(
      'killed inside the approved call',
      count((life) => life.wasKilled),
      all,
    ),
    exactly('effects of the approved call', sum(runs.map((run) => run.approvedEffects)), all),
    exactly(
      'runs with a second effect of it',
      count(({ run }) => (run.effects[1] ?? 0) > 1),
      0,
    ),
    exactly(
      'effects of a run, by step',
      words(({ run }) => run.effects.join(' ')),
      '1 1 1',
    ),
    exactly('interrupted results in the transcripts', count(isInterrupted), all),
    exactly(
      'what the second process got',
      words((life) => life.recovery),
      'finished',
    ),
    exactly(
      'runs finished',
      count(({ run }) => run.isFinished),
      all,
    ),
    told(
      'by resume(), by recover()',
      `${count((life) => !life.isByRecover)}, ${count((life) => life.isByRecover)}`,
    ),
    exactly('people asked again', sum(runs.map((run) => run.asked)) - all, 0),
    exactly('approvals undecided after the kill', sum(lives.map((life) => life.undecidedBetween)), 0),
    exactly('approvals left undecided', sum(runs.map((run) => run.undecided)), 0),
    exactly('approvals kept with their decision', count(isDecisionKept), all),
    exactly(
      'a second click was told',
      words((life) => life.secondClick),
      ALREADY_DECIDED,
    ),
    told('kill to finished (median)', median(lives.map((life) => life.finishedMs)), 'ms'),
  ];
}

function isInterrupted({ run: { results } }: InterruptedRun): boolean {
  return results.length === 1 && results[0]?.kind === 'interrupted';
}

function isDecisionKept({ run: { decision }, deciderPid }: InterruptedRun): boolean {
  return decision?.approved === true && decision.by === deciderPid;
}
