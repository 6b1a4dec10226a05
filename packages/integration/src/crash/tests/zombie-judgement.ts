import { type Chain, historyChanges } from '../chain.js';
import { exactly, type Figure, told } from '../figure.js';
import { type CallOutcome, outcomeWord } from '../resume-outcome.js';
import { median, sum } from '../statistics.js';

/** What one round of the zombie test came to. */
export interface ZombieLife {
  readonly owner: CallOutcome;
  readonly successor: CallOutcome;
  /** Model and tool calls that the owner started after it came back. */
  readonly startedByZombie: number;
  /** Effects of the three tools, in order. */
  readonly effects: readonly number[];
  /** The stored results of steps 2 and 3 are the successor's. */
  readonly isSuccessorsStored: boolean;
  /** As stored when the successor had finished, and when the owner had given up. */
  readonly before: Chain;
  readonly after: Chain;
  /** Whether the successor was let in before the instant that its last refusal named. */
  readonly wasEarly: boolean;
  readonly takenAfterMs: number;
}

export function judgeZombies(lives: readonly ZombieLife[]): Figure[] {
  const all = lives.length;
  const count = (holds: (life: ZombieLife) => boolean) => lives.filter(holds).length;
  const alike = (word: (life: ZombieLife) => string) => [...new Set(lives.map(word))].join(', ');
  const historyChanged = sum(lives.map(({ before, after }) => historyChanges(before, after)));
  return [
    told('rounds', all),
    exactly(
      'refused until the lease and the grace were over',
      count((life) => !life.wasEarly),
      all,
    ),
    exactly(
      'second owner finished the run',
      count((life) => life.successor.kind === 'finished'),
      all,
    ),
    exactly('model and tool calls by the zombie', sum(lives.map((life) => life.startedByZombie)), 0),
    exactly(
      'the zombie rejected with',
      alike((life) => outcomeWord(life.owner)),
      'LOUSHO_SESSION_BUSY',
    ),
    exactly(
      "stored result is the second owner's",
      count((life) => life.isSuccessorsStored),
      all,
    ),
    exactly(
      'changed by the zombie: result',
      count((life) => life.before.latest !== life.after.latest),
      0,
    ),
    exactly('changed by the zombie: history entries', historyChanged, 0),
    exactly(
      'effects of step 1, 2 (in flight), 3',
      alike((life) => life.effects.join(' ')),
      '1 2 1',
    ),
    told(
      'history entries',
      alike((life) => String(life.after.history.length)),
    ),
    told('taken over after the stop (median)', median(lives.map((life) => life.takenAfterMs)), 'ms'),
  ];
}

/** Whether the stored results of the tools are by these processes, in order. */
export function isBy(chain: Chain, actors: readonly number[]): boolean {
  return chain.toolsBy.join() === actors.join();
}
