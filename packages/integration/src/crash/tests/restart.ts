import { type Child, startChild } from '../child.js';
import type { ChildIo } from '../child-io.js';
import { type CrashTest, NEEDS_PROCESSES } from '../crash-test.js';
import { exactly, type Figure, told, within } from '../figure.js';
import { type CallOutcome, resumeOutcome } from '../resume-outcome.js';
import { roundsOf } from '../rounds.js';
import { effectsOf, learnsOfDeaths, newScene, openStore, type Scene, sceneAgent } from '../scene.js';
import { median, sum } from '../statistics.js';
import { DEADLY_TOOL, startVictim, victim } from './victim.js';

const SESSION = 'restarted';
const ROUNDS = 5;
const TRIES = 5;
const TRY_EVERY_MS = 20;
const LIMIT_MS = 1_500;

/** A process that dies and is started again at once, with the default lease of 30 s and grace of 30 s. */
export const restart: CrashTest = {
  name: 'restart',
  says: 'while process 1 lives, busy or stopped, process 2 is refused; after its SIGKILL process 2 starts and goes on',
  roles: { victim, bystander, heir },
  run: async (setup) => {
    const { store } = setup;
    if (store === 'memory') return NEEDS_PROCESSES;
    // A storage for the question alone.
    const any = await newScene({ test: 'restart', round: 0, store, folder: setup.folder });
    if (!(await learnsOfDeaths(any)))
      return { kind: 'not-measured', reason: 'a lease of its dead runs out first' };
    const lives = await roundsOf(setup, ROUNDS, async (round, folder) =>
      restartLife(await newScene({ test: 'restart', round, store, folder })),
    );
    return { kind: 'measured', figures: judge(lives) };
  },
};

interface RestartLife {
  /** What process 2 was answered while process 1 lived. */
  readonly whileBusy: readonly CallOutcome[];
  readonly whileStopped: readonly CallOutcome[];
  readonly heir: CallOutcome;
  /** Effects of the interrupted tool before the SIGKILL. */
  readonly effectsWhileAlive: number;
  readonly effects: number;
  readonly tokens: readonly (number | undefined)[];
  readonly msToTool: number;
}

async function restartLife(scene: Scene): Promise<RestartLife> {
  const first = startVictim(scene, [SESSION]);
  await first.wait('in-tool');
  const bystanding = startChild({ test: 'restart', role: 'bystander', settings: scene });
  const whileBusy = await triesOf(bystanding);
  await first.freeze();
  const whileStopped = await triesOf(bystanding);
  bystanding.tell('go-home');
  await bystanding.finished();
  const effectsWhileAlive = deadlyEffects(scene).length;

  first.thaw();
  await first.kill();
  const second = startChild({ test: 'restart', role: 'heir', settings: scene });
  const { outcome } = await second.wait('outcome');
  await second.finished();
  const effects = deadlyEffects(scene);
  return {
    whileBusy,
    whileStopped,
    heir: outcome as CallOutcome,
    effectsWhileAlive,
    effects: effects.length,
    tokens: effects.map((effect) => effect.fencingToken),
    msToTool: (effects.at(-1)?.at ?? Number.NaN) - second.startedAt,
  };
}

async function triesOf(child: Child): Promise<readonly CallOutcome[]> {
  child.tell('try');
  const { outcomes } = await child.wait('tried');
  return outcomes as readonly CallOutcome[];
}

function deadlyEffects(scene: Scene) {
  return effectsOf(scene).filter(({ name }) => name === DEADLY_TOOL);
}

/** Tries to resume what somebody else runs. */
async function bystander(io: ChildIo): Promise<void> {
  const scene = io.settings<Scene>();
  const store = openStore(scene);
  const agent = sceneAgent({ scene, store });
  while ((await io.told('try', 'go-home')).kind === 'try') {
    const outcomes: CallOutcome[] = [];
    for (let attempt = 0; attempt < TRIES; attempt++) {
      outcomes.push(await resumeOutcome(agent, SESSION));
      await new Promise((resolve) => setTimeout(resolve, TRY_EVERY_MS));
    }
    io.tell('tried', { outcomes });
  }
  await agent.close();
  await store.close();
}

/** What a process does that starts again after a crash. */
async function heir(io: ChildIo): Promise<void> {
  const scene = io.settings<Scene>();
  const store = openStore(scene);
  const agent = sceneAgent({ scene, store });
  io.tell('outcome', { outcome: await resumeOutcome(agent, SESSION) });
  await agent.close();
  await store.close();
}

function judge(lives: readonly RestartLife[]): Figure[] {
  const all = lives.length;
  const count = (holds: (life: RestartLife) => boolean) => lives.filter(holds).length;
  const refused = (tries: (life: RestartLife) => readonly CallOutcome[]) =>
    sum(lives.map((life) => tries(life).filter(({ kind }) => kind === 'busy').length));
  const times = lives.map((life) => life.msToTool);
  return [
    told('rounds', all),
    exactly(
      'process 1 busy: tries refused',
      refused((life) => life.whileBusy),
      all * TRIES,
    ),
    exactly(
      'process 1 stopped: tries refused',
      refused((life) => life.whileStopped),
      all * TRIES,
    ),
    exactly(
      'tool ran while process 1 lived (once a round)',
      sum(lives.map((life) => life.effectsWhileAlive)),
      all,
    ),
    exactly(
      'run finished by process 2',
      count((life) => life.heir.kind === 'finished'),
      all,
    ),
    exactly('tool ran again after the kill (once a round)', sum(lives.map((life) => life.effects)), 2 * all),
    exactly('fencing token there, and larger than before', count(isFenced), all),
    within('start of process 2 to the tool (slowest)', Math.max(...times), LIMIT_MS),
    told('start of process 2 to the tool (median)', median(times), 'ms'),
  ];
}

function isFenced({ tokens: [before, after] }: RestartLife): boolean {
  return before !== undefined && after !== undefined && after > before;
}
