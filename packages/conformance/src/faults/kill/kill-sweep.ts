import { join } from 'node:path';
import type { Inspector } from '../process/start-inspector.js';
import { type Scene, stage } from '../scene.js';
import { allowedStates } from '../storage/allowed-states.js';
import { idsOf } from '../storage/ids.js';
import { type JournalEntry, readJournal } from '../storage/journal.js';
import { judge } from '../storage/judge.js';
import { strikeAt } from './aim.js';
import { type KillPoint, spread } from './kill-points.js';
import type { Hit, Killer } from './killer.js';

export interface SweepOptions {
  /** At most so many points; all when absent. */
  readonly points?: number;
  /** Kills every process alone, and again with a second kill in its recovery, early and late. Else every fifth one twice. */
  readonly isFull?: boolean;
  readonly untilFirst?: boolean;
}

export interface SweepFigures {
  readonly mode: Killer['mode'];
  /** Places at which the flow can be killed. */
  readonly places: number;
  /** Processes that were killed, by what their killer wrote down. */
  readonly killed: number;
  /** Places before which one was killed, by the same proof. */
  readonly reached: number;
  /** Places that were chosen and never hit. */
  readonly missed: readonly string[];
  readonly inconsistent: readonly string[];
}

interface Stroke {
  readonly point: KillPoint;
  /** Where in the recovery the second kill comes, as a share of the first one's place; absent when there is none. */
  readonly again?: number;
}

function everyWay(points: readonly KillPoint[]): readonly Stroke[] {
  return points.flatMap((point) => [{ point }, { point, again: 0.4 }, { point, again: 0.8 }]);
}

function someTwice(points: readonly KillPoint[]): readonly Stroke[] {
  return points.map((point, at) => (at % 5 === 4 ? { point, again: 0.6 } : { point }));
}

interface Lane {
  readonly scene: Scene;
  readonly killer: Killer;
  readonly inspector: Inspector;
  readonly name: string;
}

/** Kills the flow at its points, each time in a fresh copy of the storage, and has another process look. */
export async function killSweep(
  scene: Scene,
  killer: Killer,
  inspectors: readonly Inspector[],
  options: SweepOptions = {},
): Promise<SweepFigures> {
  const places = await killer.places(scene);
  const chosen = spread(places, options.points ?? places.length);
  const queue = (options.isFull ? everyWay(chosen) : someTwice(chosen)).values();
  const reached = new Set<number>();
  const missed = new Set<string>();
  const inconsistent: string[] = [];
  let killed = 0;
  const work = async (lane: Lane) => {
    for (const { point, again } of queue) {
      if (options.untilFirst && inconsistent.length > 0) return;
      const where = `${point.call} ${point.nth}, call ${point.position + 1} of ${places.length}`;
      const twice = again === undefined ? '' : ', and again in the recovery';
      const isHit = await strikeAt(point, async (aimed) => {
        const { hit, kills, wrong } = await killAndLook(lane, aimed, again);
        killed += kills;
        // Wherever it was struck, it has to be consistent.
        if (wrong) inconsistent.push(`${scene.flow.name} killed ${placed(hit, where)}${twice}: ${wrong}`);
        return hit;
      });
      if (isHit) reached.add(point.position);
      else missed.add(where);
    }
  };
  await Promise.all(
    inspectors.map((inspector, lane) => work({ scene, killer, inspector, name: `lane-${lane}` })),
  );
  const { mode } = killer;
  return { mode, places: places.length, killed, reached: reached.size, missed: [...missed], inconsistent };
}

function placed({ isHit, position }: Hit, where: string): string {
  return isHit ? `before ${where}` : `after ${position} calls`;
}

/** What was hit, how many processes were killed for it, and what was wrong afterwards. */
async function killAndLook(
  { scene, killer, inspector, name }: Lane,
  point: KillPoint,
  share: number | undefined,
): Promise<{ readonly hit: Hit; readonly kills: number; readonly wrong?: string | undefined }> {
  const { flow, module, before } = scene;
  const folder = join(scene.work, name);
  const { place, order } = stage(scene, name);
  const hit = await killer.strike({ order, place, point, folder });
  const journal: JournalEntry[] = [...readJournal(order.journal)];
  // It was over before, or had not begun: there is nothing to look at.
  if (!hit.wasKilled || journal.length === 0) return { hit, kills: 0 };
  let kills = 1;
  let states = allowedStates([before], journal);
  if (share !== undefined) {
    const again = { ...order, owner: 'worker-3', journal: join(folder, 'again.jsonl') };
    const other = { ...point, ordinal: Math.ceil(point.ordinal * share) };
    const second = await killer.strike({ order: again, place, point: other, folder });
    if (second.wasKilled) kills += 1;
    const recovery = readJournal(again.journal);
    journal.push(...recovery);
    states = allowedStates(states, recovery);
  }
  const { config } = place;
  const inspection = await inspector.inspect({
    module,
    config,
    flow: flow.name,
    ids: idsOf(before, journal),
    owner: 'worker-2',
    goesOn: true,
  });
  const wrong = judge({ states, journal, isProvablyOver: true }, inspection);
  return { hit, kills, wrong };
}
