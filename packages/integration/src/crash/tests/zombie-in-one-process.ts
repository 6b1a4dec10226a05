import type { AgentStore } from '@lousho/core';
import { CrashWorld, EffectLedger, virtualTimers } from '@lousho/core/testing';
import { memoryStore } from '@lousho/store-memory';
import { readChain } from '../chain.js';
import { callOutcome, resumeOutcome } from '../resume-outcome.js';
import { effectsOf, INPUT, type Scene, sceneAgent, TOOL_NAMES } from '../scene.js';
import { isBy, type ZombieLife } from './zombie-judgement.js';

const SESSION = 'zombie';
const LEASE = { ttlMs: 30_000, renewEveryMs: 10_000 };
const [OWNER, SUCCESSOR] = [1, 2];

/**
 * The zombie for a store of one process: two agents over one storage. The first one's time stands still, as that of a stopped process
 * does, while the store's and the second one's goes on.
 */
export async function zombieInOneProcess(round: number, folder: string): Promise<ZombieLife> {
  const scene: Scene = { test: 'C', round, storage: { store: 'memory' }, folder, lease: LEASE };
  const [stopped, time] = [virtualTimers(), virtualTimers()];
  const store = memoryStore({ clock: time });

  let reachTool = () => {};
  let goOn = () => {};
  const inTool = new Promise<void>((resolve) => {
    reachTool = resolve;
  });
  const owner = sceneAgent({
    scene,
    store: ownClient(store),
    actor: OWNER,
    ports: { timers: stopped },
    hold: async (tool) => {
      if (tool !== 'charge') return;
      reachTool();
      await new Promise<void>((resolve) => {
        goOn = resolve;
      });
    },
  });
  const successor = sceneAgent({ scene, store: ownClient(store), actor: SUCCESSOR, ports: { timers: time } });

  const ownersCall = callOutcome(owner.send(INPUT, { sessionId: SESSION }));
  await inTool;
  await time.advance(LEASE.ttlMs - 1);
  const tooEarly = await resumeOutcome(successor, SESSION);
  await time.advance(1);
  const successorsOutcome = await resumeOutcome(successor, SESSION);
  const before = await readChain(store.checkpoints, SESSION);
  const effectsBefore = effectsOf(scene).length;

  await stopped.advance(LEASE.ttlMs);
  goOn();
  const ownersOutcome = await ownersCall;
  const after = await readChain(store.checkpoints, SESSION);
  const effects = effectsOf(scene);
  return {
    owner: ownersOutcome,
    successor: successorsOutcome,
    startedByZombie: effects.length - effectsBefore,
    effects: TOOL_NAMES.map((name) => effects.filter((effect) => effect.name === name).length),
    isSuccessorsStored: isBy(after, [OWNER, SUCCESSOR, SUCCESSOR]),
    before,
    after,
    wasEarly: tooEarly.kind !== 'busy',
    takenAfterMs: LEASE.ttlMs,
  };
}

/** Calls of one process on one session queue up behind each other; two clients do not know of each other. */
function ownClient(store: AgentStore): AgentStore {
  return new CrashWorld(new EffectLedger()).store(store);
}
