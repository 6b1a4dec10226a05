import { join } from 'node:path';
import type { ConformanceHarness, HarnessModule } from '../../model/harness.js';
import { clientOf } from '../../world/client.js';
import type { Figures } from '../cell.js';
import { create } from '../flows/creation-flow.js';
import { flowActor } from '../flows/flow-actor.js';
import { ask } from '../process/asking.js';
import { isRefused } from '../process/inspection.js';
import type { Inspector } from '../process/start-inspector.js';
import { type Scene, stage } from '../scene.js';
import { NAMESPACE } from '../stalls/namespaces.js';
import { allowedStates } from '../storage/allowed-states.js';
import { idsOf } from '../storage/ids.js';
import { readJournal } from '../storage/journal.js';
import { notOneOf } from '../storage/judge.js';
import { copyTo, filesUnder, placeOf } from '../storage/place.js';
import { inStorage } from '../storage/private-storage.js';
import { fakedTime } from '../tools/faketime.js';
import type { Killer } from './killer.js';

export interface LeftoverTrial {
  readonly scene: Scene;
  readonly harness: ConformanceHarness;
  readonly killer: Killer;
  readonly inspector: Inspector;
  /** How many processes die in one storage. */
  readonly kills: number;
  readonly library: string;
}

const DAYS_LATER = { offset: '+172800', isMoment: true };

/**
 * Kills processes that make ids, again and again in one storage, as containers on one volume: each of them has the process id of
 * those that died before. Listings show nothing but ids, and a prune that runs two days later leaves no more files than the ids
 * need (A48).
 */
export async function pileUp(trial: LeftoverTrial): Promise<Figures> {
  const { scene, killer, inspector, harness } = trial;
  const places = await killer.places(scene);
  const folder = join(scene.work, 'pile');
  const { place, order } = stage(scene, 'pile');
  let states = [scene.before];
  const { mode } = killer;
  let killed = 0;
  for (let kill = 0; kill < trial.kills; kill++) {
    const point = places[Math.floor((kill * places.length) / trial.kills)];
    if (!point) break;
    const journal = join(folder, `journal-${kill}.jsonl`);
    const hit = await killer.strike({
      order: { ...order, owner: `worker-${kill}`, journal },
      place,
      point,
      folder,
      prefix: NAMESPACE,
    });
    if (hit.wasKilled) killed += 1;
    const told = readJournal(journal);
    const request = {
      module: scene.module,
      config: place.config,
      flow: scene.flow.name,
      owner: 'looker',
      goesOn: false,
    };
    const ids = idsOf(states[0] ?? scene.before, told);
    const { found } = await inspector.inspect({ ...request, ids });
    const refused = told.find(({ k }) => k === 'refused');
    const wrong =
      (refused && `the next process was refused: ${JSON.stringify(refused)}`) ??
      notOneOf(found, allowedStates(states, told));
    if (wrong !== undefined || isRefused(found)) {
      return {
        mode,
        killed,
        inconsistent: [
          `after ${kill + 1} kills in one storage, before ${point.call} ${point.ordinal}: ${wrong}`,
        ],
      };
    }
    states = [found];
  }
  const ids = Object.keys(states[0]?.checkpoints ?? {});
  const asking = { module: scene.module, config: place.config, env: fakedTime(trial.library, DAYS_LATER) };
  const [pruned] = await ask(asking, ['prune', { olderThanMs: 86_400_000 }]);
  if (pruned?.refused) return { mode, killed, inconsistent: [`the prune was refused: ${pruned.refused}`] };
  const [left, needed] = [filesUnder(place.folder), await filesFor(harness, ids, join(scene.work, 'needed'))];
  const isMore = left.length > needed.length;
  return {
    mode,
    killed,
    inconsistent: isMore
      ? [`${left.length} files are left, ${needed.length} are needed: ${left.join(' ')}`]
      : [],
  };
}

/** What the ids take where nobody died, with what a store keeps for good once it has pruned anything. */
function filesFor(
  harness: ConformanceHarness,
  ids: readonly string[],
  folder: string,
): Promise<readonly string[]> {
  return inStorage(harness, async ({ module, config }) => {
    const { openFromConfig } = (await import(module)) as HarnessModule;
    const store = (await openFromConfig?.(config)) ?? {};
    const actor = flowActor({ store, owner: 'worker-0', tell: () => undefined });
    for (const id of [...ids, 'gone']) await create(actor, id);
    await actor.checkpoints.delete('gone');
    await clientOf(store).prune({ olderThanMs: 0 });
    await store.close?.();
    const place = placeOf(config);
    return place ? filesUnder(copyTo(place, folder).folder) : [];
  });
}
