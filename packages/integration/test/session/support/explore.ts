import type { AgentStore } from '@lousho/core';
import { type CrashPoint, CrashWorld, EffectLedger, type Operation } from '@lousho/core/testing';
import type { FullStore, Storage } from '../../harness/store-kind.js';

/** One storage's life: a first process, which may die, and whoever comes after it. */
export interface Life {
  readonly storage: Storage;
  readonly store: FullStore;
  readonly ledger: EffectLedger;
  /** How many processes died. */
  readonly crashes: number;
}

export interface Exploration {
  newStorage(): Storage;
  /** What a process does, whatever it finds: it comes to the same end however often it is begun. */
  play(world: CrashWorld, store: AgentStore): Promise<void>;
  /** What is not as promised, in words. */
  check(life: Life): Promise<readonly string[]>;
  /** Where the second process dies, if it comes there. */
  readonly second?: (first: CrashPoint) => CrashPoint;
  /** Tries each so many-th point. */
  readonly every?: number;
}

export interface ExplorationReport {
  readonly operations: readonly Operation[];
  readonly explored: number;
  readonly problems: readonly string[];
}

/** Lets a process die before and after each of its store, model and tool calls, and fresh ones go on. */
export async function explore(exploration: Exploration): Promise<ExplorationReport> {
  const undisturbed = await live(exploration, undefined);
  const points = undisturbed.operations
    .flatMap((_, index): CrashPoint[] => [
      { n: index + 1, side: 'before' },
      { n: index + 1, side: 'after' },
    ])
    .filter((_, index) => index % (exploration.every ?? 1) === 0);
  const problems = [...undisturbed.problems];
  for (const point of points) {
    const life = await live(exploration, point);
    const name = undisturbed.operations[point.n - 1]?.name;
    problems.push(...life.problems.map((problem) => `${problem} (died ${point.side} ${point.n} ${name})`));
  }
  return { operations: undisturbed.operations, explored: points.length, problems };
}

async function live({ newStorage, play, check, second }: Exploration, point: CrashPoint | undefined) {
  const storage = newStorage();
  const ledger = new EffectLedger();
  const problems: string[] = [];
  const worlds: CrashWorld[] = [];
  for (const crashAt of [point, point && second?.(point), undefined]) {
    const world = new CrashWorld(ledger, crashAt);
    worlds.push(world);
    await play(world, world.store(storage.open())).catch((error: unknown) => {
      if (world.hasCrashed) return;
      problems.push(
        `process ${worlds.length} failed: ${error instanceof Error ? error.message : String(error)}`,
      );
    });
    if (!world.hasCrashed) break;
  }
  const [first] = worlds;
  if (point && !first?.hasCrashed) problems.push('the operation to die at did not come');
  const life = { storage, store: storage.open(), ledger, crashes: worlds.length - 1 };
  problems.push(...(await check(life)), ...ledger.invalidRequests);
  return { operations: first?.operations ?? [], problems };
}
