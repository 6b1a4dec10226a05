import type { Checkpoint } from '@lousho/core/contract';
import { promise, promiseSame } from '../../check/promise.js';
import { checkpoint, TTL } from '../../world/builders.js';
import type { Client } from '../../world/client.js';
import type { World } from '../../world/world.js';

/** Eight workers on two clients race for one id; each accepted save names the one that it continued. */
export async function raceForLeases(world: World): Promise<void> {
  const clients = [await world.open(), await world.open()];
  const accepted: string[] = [];
  await Promise.all(
    Array.from({ length: 8 }, async (_, worker) => {
      const { checkpoints } = clients[worker % 2] as Client;
      for (let turn = 0; turn < 6; turn++) {
        const owner = `worker-${worker}-${turn}`;
        if (await advanceOnce(checkpoints, owner)) accepted.push(owner);
        else await world.advance((TTL + world.claims.graceMs) / 4);
        if (turn % 2) await checkpoints.releaseLease(RACE, owner);
      }
    }),
  );
  await promiseChain(clients[0] as Client, accepted);
}

/** The same in four processes, on real time: nobody's lease expires. */
export async function raceInProcesses({ elsewhere }: World): Promise<void> {
  const processes = await Promise.all([elsewhere(), elsewhere(), elsewhere(), elsewhere()]);
  const accepted: string[] = [];
  await Promise.all(
    Array.from({ length: 8 }, async (_, worker) => {
      const { checkpoints } = processes[worker % 4] as Client;
      for (let turn = 0; turn < 8; turn++) {
        const owner = `worker-${worker}-${turn}`;
        if (await advanceOnce(checkpoints, owner)) accepted.push(owner);
        await checkpoints.releaseLease(RACE, owner);
      }
    }),
  );
  await promiseChain(processes[0], accepted);
}

const RACE = 'race';

/** Whether a save under a lease of its own was accepted. */
async function advanceOnce(checkpoints: Client['checkpoints'], owner: string): Promise<boolean> {
  if ((await checkpoints.acquireLease(RACE, owner, TTL)) === false) return false;
  const before = await checkpoints.load(RACE);
  const revision = (before?.revision ?? 0) + 1;
  const metadata = { owner, lineage: [...lineageOf(before), owner] };
  return checkpoints.saveIfLeased(RACE, { ...checkpoint({ revision, metadata }), sessionId: RACE }, owner);
}

/** Who saved what a checkpoint continues, from the first on. */
function lineageOf(saved: Checkpoint | null): readonly string[] {
  return (saved?.metadata?.lineage ?? []) as readonly string[];
}

async function promiseChain({ checkpoints }: Client, accepted: readonly string[]): Promise<void> {
  const last = await checkpoints.load(RACE);
  const lineage = lineageOf(last);
  promise('somebody’s save is accepted', accepted.length > 0, 'nobody’s was');
  promiseSame('the last save continues every accepted one', [...lineage].sort(), [...accepted].sort());
  promiseSame('its revision is their number', last?.revision, accepted.length);
}
