import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { failedSeeds, type SimulatedWorld } from '@lousho/conformance/simulation';
import type { BlockResult, SeedBlock } from './simulation-worker.js';

/** So many seeds a thread takes at a time: few enough that all end together. */
const BLOCK = 100;
/** A schedule makes and drops tens of thousands of small objects: most are gone before such a young generation is full. */
const YOUNG_MB = 64;

const SUMS = ['schedules', 'virtualMs', 'calls', 'events', 'effects', 'crashes', 'stalls'] as const;

export interface CoresOptions {
  readonly schedules: number;
  readonly seed: number;
  /** Default: as many as the machine has. */
  readonly cores?: number;
}

/** Runs a world's schedules on all cores, the seeds that once failed first. A seed goes the same way wherever it runs. */
export async function simulateOnCores(
  { name }: SimulatedWorld,
  { schedules, seed, cores = availableParallelism() }: CoresOptions,
): Promise<BlockResult> {
  const blocks = blocksOf(failedSeeds(name), seed, schedules).values();
  const work = async (): Promise<readonly BlockResult[]> => {
    const worker = new Worker(new URL('simulation-worker.js', import.meta.url), {
      workerData: name,
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB },
    });
    const results: BlockResult[] = [];
    for (const block of blocks) {
      worker.postMessage(block);
      results.push(...((await once(worker, 'message')) as [BlockResult]));
    }
    await worker.terminate();
    return results;
  };
  const results = (await Promise.all(Array.from({ length: cores }, work))).flat();
  const sum = (key: (typeof SUMS)[number]) => results.reduce((total, result) => total + result[key], 0);
  const sums = Object.fromEntries(SUMS.map((key) => [key, sum(key)])) as Record<
    (typeof SUMS)[number],
    number
  >;
  const failures = results.flatMap((result) => result.failures).sort((a, b) => a.seed - b.seed);
  return { world: name, ...sums, failures };
}

function blocksOf(first: readonly number[], seed: number, schedules: number): readonly SeedBlock[] {
  const count = Math.ceil(schedules / BLOCK);
  const blocks = Array.from({ length: count }, (_, at) => ({
    seed: seed + at * BLOCK,
    schedules: Math.min(BLOCK, schedules - at * BLOCK),
  }));
  return first.length > 0 ? [{ first }, ...blocks] : blocks;
}
