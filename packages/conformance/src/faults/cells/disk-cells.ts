import type { FaultCell } from '../cell.js';
import { FLOWS } from '../flows/index.js';
import { killerFor } from '../kill/best-killer.js';
import { killSweep } from '../kill/kill-sweep.js';
import { powerCuts } from '../power-loss/power-cuts.js';
import { injectErrors } from '../resources/injected-errors.js';
import { nothingMissed } from './nothing-missed.js';
import { needStrace } from './tools-needed.js';

/** In the size that CI takes, for each flow. */
const SAMPLED = { kills: 20, states: 70, errors: 8 };

export const killCells: readonly FaultCell[] = FLOWS.map((flow) => ({
  id: `kill:${flow.name}${flow.name === 'F1' ? ':A13' : flow.name === 'F5' ? ':A59' : ''}`,
  says: `SIGKILL before each call that changes the disk, in ${flow.says}: the last acknowledged state or the one under way, and a second process goes on at once`,
  needs: { methods: flow.needs, survives: ['power-loss', 'process-crash'], deathProof: ['process'] },
  run: async ({ scene, size, inspectors, killBy, untilFirst }) => {
    const stage = await scene(flow.name);
    const killer = await killerFor(stage, killBy);
    const options = size === 'full' ? { untilFirst, isFull: true } : { untilFirst, points: SAMPLED.kills };
    return nothingMissed(await killSweep(stage, killer, inspectors, options));
  },
}));

/** Public cases of lost names and lost bytes, by the flow that shows them best. */
const POWER_CASES: Readonly<Record<string, string>> = { F1: ':A39', F2: ':A38', F4: ':A40' };

export const powerLossCells: readonly FaultCell[] = FLOWS.map((flow) => ({
  id: `power-loss:${flow.name}${POWER_CASES[flow.name] ?? ''}`,
  says: `a power cut after each call that changes the disk, in ${flow.says}: all that was acknowledged is there`,
  needs: { methods: flow.needs, survives: ['power-loss'] },
  run: async ({ scene, size, inspectors, seed, untilFirst }) => {
    needStrace();
    const options = size === 'full' ? { arbitrary: 40 } : { states: SAMPLED.states };
    return powerCuts(await scene(flow.name), inspectors, { ...options, seed, untilFirst });
  },
}));

export const errorCells: readonly FaultCell[] = FLOWS.map((flow) => ({
  id: `io-error:${flow.name}${flow.name === 'F1' ? ':A41' : ''}`,
  says: `ENOSPC, EIO, EMFILE, EACCES and EROFS at each system call, in ${flow.says}: a coded refusal changes nothing and leaves nothing, the same call made again succeeds, and what a failed sync may have lost is never acknowledged`,
  needs: { methods: flow.needs, survives: ['power-loss', 'process-crash'] },
  run: async ({ scene, size, inspectors, claims, untilFirst }) => {
    needStrace();
    const survivesPowerLoss = claims.survives === 'power-loss';
    const points = size === 'full' ? {} : { points: SAMPLED.errors };
    const options = { ...points, survivesPowerLoss, untilFirst };
    return nothingMissed(await injectErrors(await scene(flow.name), inspectors, options));
  },
}));
