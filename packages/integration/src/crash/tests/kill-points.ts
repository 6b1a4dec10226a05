import { type CheckpointStore, encode, type Message } from '@lousho/core';
import {
  type CrashPoint,
  CrashWorld,
  deliverTurns,
  EffectLedger,
  type Operation,
  transcriptFaults,
} from '@lousho/core/testing';
import { withOwnHeartbeat } from '../../stores/own-heartbeat.js';
import { untilFree } from '../../stores/until-free.js';
import { type Child, startChild } from '../child.js';
import type { ChildIo } from '../child-io.js';
import type { CrashSetup, CrashTest } from '../crash-test.js';
import { type Effect, toolCounts } from '../ledger.js';
import { emptyFolder } from '../rounds.js';
import { effectsOf, INPUT, newScene, openStore, type Scene, sceneAgent, withDeaths } from '../scene.js';
import { judgeKills, type KilledLife } from './kill-judgement.js';
import { killPointsInOneProcess } from './kill-points-in-one-process.js';

const SESSION = 'killed';
const AT_A_TIME = 2;

/** A process that dies at a store call, at every one of them, and a second one that goes on. */
export const killPoints: CrashTest = {
  name: 'D',
  says: 'SIGKILL before and after every store call of a 3-tool run, then a second process sends again',
  roles: { caller, heir },
  run: async (setup) => {
    if (setup.store === 'memory') return killPointsInOneProcess(setup);
    const undisturbed = await sceneOf(setup, 'undisturbed');
    const operations = await undisturbedRun(undisturbed);
    const wanted = (await stored(undisturbed)).messages;
    const points = operations.flatMap((_, index): CrashPoint[] => [
      { n: index + 1, side: 'before' },
      { n: index + 1, side: 'after' },
    ]);
    const lives: KilledLife[] = [];
    const lane = async (): Promise<void> => {
      const second = startChild({ test: 'D', role: 'heir', settings: null });
      for (let point = points.shift(); point; point = points.shift()) {
        const scene = await sceneOf(setup, `${point.n}-${point.side}`);
        lives.push(await killedLife({ scene, point, second, wanted }));
        setup.progress(lives.length, lives.length + points.length);
      }
      second.tell('go-home');
      await second.finished();
    };
    await Promise.all(Array.from({ length: AT_A_TIME }, lane));
    return { kind: 'measured', figures: judgeKills(lives) };
  },
};

async function undisturbedRun(scene: Scene): Promise<readonly Operation[]> {
  const child = startChild({ test: 'D', role: 'caller', settings: { scene } });
  const { operations } = await child.wait('done');
  await child.finished();
  return operations as readonly Operation[];
}

interface Kill {
  readonly scene: Scene;
  readonly point: CrashPoint;
  /** Goes on with the run; the same process for many points, each in a storage of its own. */
  readonly second: Child;
  readonly wanted: readonly Message[];
}

async function killedLife({ scene, point, second, wanted }: Kill): Promise<KilledLife> {
  const first = startChild({ test: 'D', role: 'caller', settings: { scene, point } });
  const { signal } = await first.gone();
  // A process that failed says why; one that came to its end never reached its point.
  if (signal !== 'SIGKILL') await first.finished();
  const between = await stored(scene);
  const effectsBetween = effectsOf(scene);
  second.tell('go-on', { scene });
  await second.wait('done');
  const { messages, status } = await stored(scene);
  const effects = effectsOf(scene);
  const since = effects.slice(effectsBetween.length);
  return {
    point,
    wasKilled: signal === 'SIGKILL',
    isFinished: status === 'finished',
    isTranscriptRight: sameTranscript(messages, wanted) && transcriptFaults(messages).length === 0,
    toolEffects: [...toolCounts(effects, SESSION).values()],
    repeatedRecordedTools: since.filter((effect) => isRecorded(effect, between.messages)).length,
    repeatedRecordedAnswers: since.filter((effect) => isAnswered(effect, between.messages)).length,
  };
}

/** A caller's process. It dies at its point, if it is given one. */
async function caller(io: ChildIo): Promise<void> {
  const { scene, point } = io.settings<{ scene: Scene; point?: CrashPoint }>();
  io.tell('done', { operations: await sayAll(scene, point) });
}

async function heir(io: ChildIo): Promise<void> {
  for (;;) {
    const order = await io.told('go-on', 'go-home');
    if (order.kind === 'go-home') return;
    io.tell('done', { operations: await sayAll(order.scene as Scene) });
  }
}

/** Says what has not been said yet, as a caller does who comes back; resolves with the store calls that it took. */
async function sayAll(scene: Scene, point?: CrashPoint): Promise<readonly Operation[]> {
  const store = openStore(scene);
  // Model and tools do not go through the world: the points are counted in store calls.
  const world = new CrashWorld(new EffectLedger(), point, () => process.kill(process.pid, 'SIGKILL'));
  const watched = world.store(store);
  const checkpoints = withOwnHeartbeat(watched.checkpoints as CheckpointStore, store.checkpoints);
  const agent = sceneAgent({ scene, store: { ...watched, checkpoints } });
  await untilFree(() => deliverTurns(agent, checkpoints, SESSION, [{ input: INPUT }]));
  await agent.close();
  await store.close();
  return world.operations;
}

async function stored(scene: Scene): Promise<{ messages: readonly Message[]; status?: string | undefined }> {
  const store = openStore(scene);
  try {
    const checkpoint = await store.checkpoints.load(SESSION);
    return { messages: checkpoint?.messages ?? [], status: checkpoint?.status };
  } finally {
    await store.close();
  }
}

async function sceneOf({ store, folder }: CrashSetup, name: string): Promise<Scene> {
  return withDeaths(await newScene({ test: 'D', round: 1, store, folder: emptyFolder(folder, name) }));
}

function isRecorded(effect: Effect, messages: readonly Message[]): boolean {
  return effect.kind === 'tool' && messages.some(({ toolCallId }) => toolCallId === effect.callId);
}

function isAnswered(effect: Effect, messages: readonly Message[]): boolean {
  const answers = messages.filter((message) => message.role === 'assistant').length;
  return effect.kind === 'model' && effect.step <= answers;
}

/** The same but for who made the results. */
function sameTranscript(one: readonly Message[], other: readonly Message[]): boolean {
  const text = (messages: readonly Message[]) => encode(messages).replaceAll(/\\"by\\":\d+/g, '');
  return text(one) === text(other);
}
