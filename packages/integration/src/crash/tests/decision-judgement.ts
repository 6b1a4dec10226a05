import { exactly, type Figure, told } from '../figure.js';
import { median, sum } from '../statistics.js';
import { ALREADY_DECIDED, type GatedRun } from './gated-run.js';

/** One approval that many processes gave at once. */
export interface Decision {
  /** What each process was told, by its id. */
  readonly answers: ReadonlyMap<number, string>;
  /** Until every process but those inside the tool had its answer. */
  readonly lastAnswerMs: number;
  readonly run: GatedRun;
}

const FINISHED = 'finished';
const BUSY = 'LOUSHO_SESSION_BUSY';

export function judgeDecisions(decisions: readonly Decision[], processes: number): Figure[] {
  const all = decisions.length;
  const answers = decisions.flatMap((decision) => [...decision.answers.values()]);
  const runs = decisions.map((decision) => decision.run);
  const count = (word: string) => answers.filter((answer) => answer === word).length;
  const others = answers.filter((answer) => ![FINISHED, ALREADY_DECIDED, BUSY].includes(answer));
  const times = decisions.map((decision) => decision.lastAnswerMs);
  return [
    told('rounds', all),
    told('processes', processes),
    exactly('effects of the approved call', sum(runs.map((run) => run.approvedEffects)), all),
    exactly(
      'effects of a run, by step',
      [...new Set(runs.map((run) => run.effects.join(' ')))].join(', '),
      '1 1 1',
    ),
    exactly('one went on, all others already decided or busy', decisions.filter(isClean).length, all),
    exactly('processes that went on', count(FINISHED), all),
    exactly(
      'processes told already decided or busy',
      count(ALREADY_DECIDED) + count(BUSY),
      all * (processes - 1),
    ),
    told('already decided, LOUSHO_SESSION_BUSY', `${count(ALREADY_DECIDED)}, ${count(BUSY)}`),
    exactly('other answers', [...new Set(others)].join(', ') || 'none', 'none'),
    exactly('finished with the result of who decided', decisions.filter(isByDecider).length, all),
    exactly('people asked again', sum(runs.map((run) => run.asked)) - all, 0),
    exactly('approvals left undecided', sum(runs.map((run) => run.undecided)), 0),
    told('last answer after the start (median)', median(times), 'ms'),
    told('last answer after the start (slowest)', Math.max(...times), 'ms'),
  ];
}

function isClean({ answers }: Decision): boolean {
  const words = [...answers.values()];
  const lost = words.filter((word) => word === ALREADY_DECIDED || word === BUSY).length;
  return lost === words.length - 1 && words.includes(FINISHED);
}

/** The process that was told that it went on is the one whose decision and whose result are stored. */
function isByDecider({ answers, run }: Decision): boolean {
  const [result] = run.results;
  const by = run.decision?.by;
  const isRight = run.isFinished && run.results.length === 1 && run.decision?.approved === true;
  return isRight && result?.by === by && answers.get(by as number) === FINISHED;
}
