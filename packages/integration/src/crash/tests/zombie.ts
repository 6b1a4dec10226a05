import { readChain } from '../chain.js';
import { startChild } from '../child.js';
import type { ChildIo } from '../child-io.js';
import type { CrashTest } from '../crash-test.js';
import { until } from '../deadline.js';
import { hostNow, readClocks } from '../host-time.js';
import { type CallOutcome, callOutcome, resumeOutcome } from '../resume-outcome.js';
import { roundsOf } from '../rounds.js';
import { effectsOf, INPUT, newScene, openStore, type Scene, sceneAgent, TOOL_NAMES } from '../scene.js';
import { zombieInOneProcess } from './zombie-in-one-process.js';
import { isBy, judgeZombies, type ZombieLife } from './zombie-judgement.js';

const SESSION = 'zombie';
const LEASE = { ttlMs: 400, renewEveryMs: 130 };
const GRACE_MS = 200;

/** A stalled owner that comes back after its run was finished by somebody else. */
export const zombie: CrashTest = {
  name: 'C',
  says: 'SIGSTOP the owner inside step 2, another process takes over and finishes, SIGCONT the owner',
  roles: { owner, successor },
  run: async (setup) => {
    const { store } = setup;
    const lives = await roundsOf(setup, 3, async (round, folder) =>
      store === 'memory'
        ? zombieInOneProcess(round, folder)
        : zombieLife(await newScene({ test: 'C', round, store, folder, lease: LEASE, graceMs: GRACE_MS })),
    );
    return { kind: 'measured', figures: judgeZombies(lives) };
  },
};

async function zombieLife(scene: Scene): Promise<ZombieLife> {
  const first = startChild({ test: 'C', role: 'owner', settings: scene });
  await first.wait('in-tool');
  await first.freeze();
  const frozenAt = hostNow();
  const takeableAt = await readTakeableAt(scene);
  const second = startChild({ test: 'C', role: 'successor', settings: scene });
  const successor = (await second.wait('outcome')) as unknown as SuccessorReport;
  await second.finished();

  const store = openStore(scene);
  try {
    const before = await readChain(store.checkpoints, SESSION);
    const effectsBefore = effectsOf(scene).length;
    first.thaw();
    first.tell('go-on');
    const { outcome } = (await first.wait('outcome')) as unknown as { outcome: CallOutcome };
    await first.finished();
    const after = await readChain(store.checkpoints, SESSION);
    const effects = effectsOf(scene);
    return {
      owner: outcome,
      successor: successor.outcome,
      startedByZombie: effects.length - effectsBefore,
      effects: TOOL_NAMES.map((name) => effects.filter((effect) => effect.name === name).length),
      isSuccessorsStored: isBy(after, [first.pid, second.pid, second.pid]),
      before,
      after,
      wasEarly: successor.takenAt < takeableAt,
      takenAfterMs: successor.takenAt - frozenAt,
    };
  } finally {
    await store.close();
  }
}

/** From when the stopped owner's lease can be taken; it cannot be renewed any more. By hostNow(). */
async function readTakeableAt(scene: Scene): Promise<number> {
  const store = openStore(scene);
  try {
    const holder = await store.checkpoints.readLease?.(SESSION);
    // No holder: the lease and the grace are over already, and whoever comes is not early.
    if (holder?.takeableAt === undefined) return 0;
    const { wallMs, hostMs } = readClocks();
    return Date.parse(holder.takeableAt) - wallMs + hostMs;
  } finally {
    await store.close();
  }
}

interface SuccessorReport {
  readonly outcome: CallOutcome;
  /** When its first tool ran, by hostNow(). */
  readonly takenAt: number;
}

async function owner(io: ChildIo): Promise<void> {
  const scene = io.settings<Scene>();
  const store = openStore(scene);
  const agent = sceneAgent({
    scene,
    store,
    hold: async (tool) => {
      if (tool !== 'charge') return;
      io.tell('in-tool');
      await io.told('go-on');
    },
  });
  const outcome = await callOutcome(agent.send(INPUT, { sessionId: SESSION }));
  await agent.close();
  await store.close();
  io.tell('outcome', { outcome });
}

/** Asks as a caller would that retries a busy session. */
async function successor(io: ChildIo): Promise<void> {
  const scene = io.settings<Scene>();
  const store = openStore(scene);
  let takenAt = 0;
  const agent = sceneAgent({
    scene,
    store,
    hold: () => {
      takenAt ||= hostNow();
    },
  });
  const outcome = await until(async () => {
    const answer = await resumeOutcome(agent, SESSION);
    return answer.kind === 'busy' ? undefined : answer;
  }, 'the lease to run out');
  await agent.close();
  await store.close();
  io.tell('outcome', { outcome, takenAt });
}
