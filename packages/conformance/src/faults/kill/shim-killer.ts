import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { victimCommand } from '../process/start-victim.js';
import { stage } from '../scene.js';
import { run } from '../tools/command.js';
import type { ShimProof } from './fs-shim.js';
import type { Blow, Killer } from './killer.js';

export const shimKiller: Killer = {
  mode: 'fs shim',
  places: async (scene) => {
    const { place, order } = stage(scene, 'trace');
    const never = { call: 'node:fs', ordinal: 0, nth: 0, position: -1 };
    const { calls } = await shimmed({ order, place, point: never, folder: join(scene.work, 'trace') });
    return Array.from({ length: calls }, (_, position) => ({
      call: 'node:fs',
      ordinal: position + 1,
      nth: position + 1,
      position,
    }));
  },
  strike: async (blow) => {
    const { calls, killedBefore } = await shimmed(blow);
    const wasKilled = killedBefore !== undefined;
    // It counts nothing but calls in the storage, so it hits what it aims at.
    return { isHit: wasKilled, wasKilled, position: Math.max(0, calls - 1) };
  },
};

async function shimmed({ order, place, point, folder, prefix = [] }: Blow): Promise<ShimProof> {
  const proof = join(folder, 'proof.json');
  rmSync(proof, { force: true });
  const shim = { folder: place.folder, at: point.ordinal, proof };
  await run([...prefix, ...victimCommand({ ...order, shim })]);
  return JSON.parse(readFileSync(proof, 'utf8')) as ShimProof;
}
