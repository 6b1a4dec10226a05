import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { failedSeeds, type SimulatedWorld } from '@lousho/conformance/simulation';
import type { BlockResult, SeedBlock } from './simulation-worker.js';

/** So many seeds a thread takes at a time: few enough that all end together. */
const BLOCK = 100;
/** A schedule makes and drops tens of thousands of small objects: most are gone before such a young generation is full. */
const YOUNG_MB = 64;

const SUMS = ['schedules', 'virtualMs', 'calls', 'events', 'effects', 'crashes', 'stalls'] as const;

/** Which schedules of a world are run: seeds that follow one another. */
export interface Seeds {
  readonly schedules: number;
  readonly seed: number;
}

/** Threads that take schedules. They are kept from one world to the next: what they have compiled serves all. */
export class SimulationCores {
  readonly #workers: readonly Worker[];

  constructor(readonly count: number) {
    this.#workers = Array.from(
      { length: count },
      () =>
        new Worker(new URL('simulation-worker.js', import.meta.url), {
          resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB },
        }),
    );
  }

  /** Runs a world's schedules, those of the seeds that once failed first. A seed goes the same way wherever it runs. */
  async simulate({ name }: SimulatedWorld, seeds: Seeds): Promise<BlockResult> {
    const blocks = blocksOf(name, seeds).values();
    const work = async (worker: Worker): Promise<readonly BlockResult[]> => {
      const results: BlockResult[] = [];
      for (const block of blocks) {
        worker.postMessage(block);
        results.push(...((await once(worker, 'message')) as [BlockResult]));
      }
      return results;
    };
    const results = (await Promise.all(this.#workers.map(work))).flat();
    const sum = (key: (typeof SUMS)[number]) => results.reduce((total, result) => total + result[key], 0);
    const sums = Object.fromEntries(SUMS.map((key) => [key, sum(key)])) as Record<
      (typeof SUMS)[number],
      number
    >;
    const failures = results.flatMap((result) => result.failures).sort((a, b) => a.seed - b.seed);
    return { world: name, ...sums, failures };
  }

  async end(): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.terminate()));
  }
}

function blocksOf(world: string, { seed, schedules }: Seeds): readonly SeedBlock[] {
  const first = failedSeeds(world);
  const count = Math.ceil(schedules / BLOCK);
  const blocks = Array.from({ length: count }, (_, at) => ({
    world,
    seed: seed + at * BLOCK,
    schedules: Math.min(BLOCK, schedules - at * BLOCK),
  }));
  return first.length > 0 ? [{ world, first }, ...blocks] : blocks;
}
