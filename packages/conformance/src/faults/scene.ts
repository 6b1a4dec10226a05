import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { ConformanceHarness, HarnessModule } from '../model/harness.js';
import { NotRun } from '../model/violation.js';
import { clientOf } from '../world/client.js';
import { worldClock } from '../world/world-clock.js';
import { BYSTANDER, type Flow, LONG_TTL } from './flows/flow.js';
import { failed, runVictim } from './process/start-victim.js';
import { runTraced } from './process/traced-victim.js';
import type { VictimOrder } from './process/victim-order.js';
import { allowedStates } from './storage/allowed-states.js';
import { type JournalEntry, readJournal } from './storage/journal.js';
import { copyTo, emptyFolder, type Place, placeOf } from './storage/place.js';
import { EMPTY_STATE, type StorageState } from './storage/storage-state.js';
import type { TraceOrder } from './tools/strace.js';
import type { Trace } from './trace/strace-line.js';

/** A flow and the storage in which it begins, of which every point gets a copy. */
export interface Scene {
  readonly flow: Flow;
  readonly module: string;
  /** Copied, never opened. */
  readonly template: Place;
  readonly before: StorageState;
  readonly work: string;
}

export async function prepareScene(harness: ConformanceHarness, flow: Flow, work: string): Promise<Scene> {
  const { module } = harness;
  if (module === undefined)
    throw new NotRun('the harness names no module by which another process opens a storage');
  const storage = await harness.createStorage({ clock: worldClock() });
  try {
    const place = placeOf(storage.config);
    if (!place) throw new NotRun('the storage is in no folder of this machine');
    emptyFolder(work);
    let before = EMPTY_STATE;
    if (flow.prepare) {
      const journal = join(work, 'prepare.jsonl');
      const { config } = place;
      await runVictim({ module, config, journal, flow: flow.name, part: 'prepare', owner: 'worker-0' });
      before = allowedStates([EMPTY_STATE], readJournal(journal))[0] as StorageState;
      await holdBystander(module, config);
    }
    const template = copyTo(place, join(work, 'template'));
    return { flow, module, template, before, work };
  } finally {
    await storage.dispose();
  }
}

/** A copy of the scene's storage, and the order to run the flow in it. */
export function stage(scene: Scene, name: string): { readonly place: Place; readonly order: VictimOrder } {
  const place = copyTo(scene.template, join(scene.work, name, 'storage'));
  const journal = join(scene.work, name, 'journal.jsonl');
  removeLeftovers(join(scene.work, name));
  const { module, flow } = scene;
  const { config } = place;
  return { place, order: { module, config, journal, flow: flow.name, part: 'run', owner: 'worker-1' } };
}

export interface TracedRun {
  readonly trace: Trace;
  readonly place: Place;
  readonly journalPath: string;
  readonly journal: readonly JournalEntry[];
}

/** Runs the flow to its end under strace. */
export async function traceRun(
  scene: Scene,
  name: string,
  what: Omit<TraceOrder, 'log'> = {},
): Promise<TracedRun> {
  const { place, order } = stage(scene, name);
  const { trace, ended } = await runTraced(order, { ...what, log: join(scene.work, name, 'trace.txt') });
  if (trace.exitCode !== 0) throw failed(order, ended);
  return { trace, place, journalPath: order.journal, journal: readJournal(order.journal) };
}

/** This process holds it, which lives as long as anybody looks. */
async function holdBystander(module: string, config: unknown): Promise<void> {
  const { openFromConfig } = (await import(module)) as HarnessModule;
  const client = clientOf((await openFromConfig?.(config)) ?? {});
  await client.checkpoints?.acquireLease?.(BYSTANDER, 'bystander', LONG_TTL);
  await client.close?.();
}

/** A journal is appended to: one of an earlier point must not be there. */
function removeLeftovers(folder: string): void {
  for (const file of ['journal.jsonl', 'again.jsonl', 'trace.txt', 'proof.json'])
    rmSync(join(folder, file), { force: true });
}
