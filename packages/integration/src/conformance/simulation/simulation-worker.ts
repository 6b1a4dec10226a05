// Runs schedules in a thread of its own: a block of seeds of a world for each message, with what they came to as the answer.
import { parentPort } from 'node:worker_threads';
import { type Simulation, simulate } from '@lousho/conformance/simulation';
import { WORLDS } from './worlds.js';

/** Seeds that follow one another, or some by themselves. */
export type SeedBlock = { readonly world: string } & (
  | { readonly seed: number; readonly schedules: number }
  | { readonly first: readonly number[] }
);

/** Without the recorded calls, which only the thread itself needs. */
export type BlockResult = Omit<Simulation, 'failures'> & {
  readonly failures: readonly { readonly seed: number; readonly violations: readonly string[] }[];
};

parentPort?.on('message', async ({ world: name, ...block }: SeedBlock) => {
  const world = WORLDS.get(name);
  if (!world) throw new Error(`Expected a world of ${[...WORLDS.keys()].join(', ')}, got ${name}`);
  const { failures, ...totals } = await simulate(world, { schedules: 0, ...block });
  const told = failures.map(({ seed, violations }) => ({ seed, violations }));
  parentPort?.postMessage({ ...totals, failures: told } satisfies BlockResult);
});
