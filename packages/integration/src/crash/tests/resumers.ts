import { type Child, startChild } from '../child.js';
import type { ChildIo } from '../child-io.js';
import { type CrashTest, NEEDS_PROCESSES } from '../crash-test.js';
import { until } from '../deadline.js';
import { exactly, type Figure, told } from '../figure.js';
import { hostNow } from '../host-time.js';
import { toolCounts } from '../ledger.js';
import { type CallOutcome, outcomeWord, resumeOutcome } from '../resume-outcome.js';
import { emptyFolder } from '../rounds.js';
import {
  effectsOf,
  type Hold,
  learnsOfDeaths,
  newScene,
  openStore,
  type Scene,
  sceneAgent,
  TOOL_NAMES,
  withDeaths,
} from '../scene.js';
import { median } from '../statistics.js';
import { DEADLY_TOOL, startVictim, victim } from './victim.js';

const ROUNDS = 50;
const PROCESSES = 16;
/** Between the order and the start, so that all have read it. */
const START_AFTER_MS = 20;

/** Many processes that find one crashed run at the same moment. */
export const resumers: CrashTest = {
  name: 'resumers',
  says: 'a run is killed inside a tool, then many processes resume it at once, again and again',
  roles: { victim, resumer },
  run: async ({ store, folder, rounds = ROUNDS, processes = PROCESSES, progress }) => {
    if (store === 'memory') return NEEDS_PROCESSES;
    const shared = emptyFolder(folder, 'shared');
    const scene = await withDeaths(await newScene({ test: 'resumers', round: 0, store, folder: shared }));
    const waitsForLease = !(await learnsOfDeaths(scene));
    const workers = Array.from({ length: processes }, () =>
      startChild({ test: 'resumers', role: 'resumer', settings: scene }),
    );
    const races: Race[] = [];
    let next = startVictim({ ...scene, round: 1 }, [sessionOf(1)]);
    for (let round = 1; round <= rounds; round++) {
      progress(round - 1, rounds);
      const dying = next;
      await dying.wait('in-tool');
      await dying.kill();
      // The next run comes to its crash while this one is raced for.
      if (round < rounds) next = startVictim({ ...scene, round: round + 1 }, [sessionOf(round + 1)]);
      if (waitsForLease) await watchUntilFree(workers, round);
      races.push(await race(scene, workers, round));
    }
    for (const worker of workers) worker.tell('go-home');
    await Promise.all(workers.map((worker) => worker.finished()));
    return { kind: 'measured', figures: judge(races, processes) };
  },
};

/** One run that all resumed. */
interface Race {
  readonly outcomes: readonly CallOutcome[];
  /** Of the three tools, in order. */
  readonly effects: readonly number[];
  readonly lastAnswerMs: number;
}

/** Each with its own eyes: a store may go by what its caller has seen of a lease. */
async function watchUntilFree(workers: readonly Child[], round: number): Promise<void> {
  for (const worker of workers) worker.tell('watch', { round });
  await Promise.all(workers.map((worker) => worker.wait('free')));
}

async function race(scene: Scene, workers: readonly Child[], round: number): Promise<Race> {
  const startAt = hostNow() + START_AFTER_MS;
  for (const worker of workers) worker.tell('resume', { round, startAt });
  const runners: Child[] = [];
  const answers = await Promise.all(
    workers.map(async (worker) => {
      const message = await worker.wait('answer', 'in-tool');
      if (message.kind === 'answer') return message;
      runners.push(worker);
      return undefined;
    }),
  );
  // Whoever runs it stays inside the tool until every other process has its answer.
  const lastAnswerMs = hostNow() - startAt;
  for (const runner of runners) runner.tell('go-on');
  const late = await Promise.all(runners.map((runner) => runner.wait('answer')));
  const counts = toolCounts(effectsOf(scene), sessionOf(round));
  return {
    outcomes: [...answers, ...late].flatMap((answer) => (answer ? [answer.outcome as CallOutcome] : [])),
    effects: TOOL_NAMES.map((name) => counts.get(name) ?? 0),
    lastAnswerMs,
  };
}

async function resumer(io: ChildIo): Promise<void> {
  const scene = io.settings<Scene>();
  const store = openStore(scene);
  const hold: Hold = async (tool) => {
    if (tool !== DEADLY_TOOL) return;
    io.tell('in-tool');
    await io.told('go-on');
  };
  for (;;) {
    const order = await io.told('watch', 'resume', 'go-home');
    if (order.kind === 'go-home') break;
    const { round, startAt } = order as unknown as { round: number; startAt: number };
    if (order.kind === 'watch') {
      const isFree = async () => !(await store.checkpoints.readLease?.(sessionOf(round))) || undefined;
      await until(isFree, 'the lease to run out');
      io.tell('free');
      continue;
    }
    const agent = sceneAgent({ scene: { ...scene, round }, store, hold });
    await new Promise((resolve) => setTimeout(resolve, startAt - hostNow()));
    io.tell('answer', { outcome: await resumeOutcome(agent, sessionOf(round)) });
  }
  await store.close();
}

function sessionOf(round: number): string {
  return `crashed-${round}`;
}

function judge(races: readonly Race[], processes: number): Figure[] {
  const all = races.length;
  const outcomes = races.flatMap((race) => race.outcomes);
  const count = (kind: CallOutcome['kind']) => outcomes.filter((outcome) => outcome.kind === kind).length;
  const rounds = (holds: (race: Race) => boolean) => races.filter(holds).length;
  const failures = [...new Set(outcomes.filter(({ kind }) => kind === 'failed').map(outcomeWord))];
  return [
    told('rounds', all),
    told('processes', processes),
    exactly(
      'one ran it, all others LOUSHO_SESSION_BUSY',
      rounds((race) => isClean(race, processes)),
      all,
    ),
    exactly('calls that ran it', count('finished'), all),
    exactly('calls with LOUSHO_SESSION_BUSY', count('busy'), all * (processes - 1)),
    exactly('calls that found nothing to resume', count('nothing'), 0),
    exactly('other answers', failures.join(', ') || 'none', 'none'),
    exactly('step 1: effects (once a round)', effects(races, 0), '1'),
    exactly('step 2, interrupted: effects (and once again)', effects(races, 1), '2'),
    exactly('step 3: effects (once a round)', effects(races, 2), '1'),
    told('last answer after the start (median)', median(races.map((race) => race.lastAnswerMs)), 'ms'),
  ];
}

function isClean({ outcomes }: Race, processes: number): boolean {
  const busy = outcomes.filter((outcome) => outcome.kind === 'busy').length;
  return busy === processes - 1 && outcomes.some((outcome) => outcome.kind === 'finished');
}

/** The numbers that occurred in any round. */
function effects(races: readonly Race[], tool: number): string {
  return [...new Set(races.map((race) => race.effects[tool] ?? 0))].toSorted().join(', ');
}
