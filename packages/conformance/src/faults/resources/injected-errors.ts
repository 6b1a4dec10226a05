import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Shot, shotAt, strikeAt } from '../kill/aim.js';
import { type KillPoint, killPoints, openPoints, readPoints, spread } from '../kill/kill-points.js';
import { isSync } from '../power-loss/disk-events.js';
import { leftAfterFailedSync } from '../power-loss/failed-sync.js';
import type { Inspector } from '../process/start-inspector.js';
import { runTraced } from '../process/traced-victim.js';
import { type Scene, stage, traceRun } from '../scene.js';
import { allowedStates } from '../storage/allowed-states.js';
import { idsOf } from '../storage/ids.js';
import { type JournalEntry, readJournal } from '../storage/journal.js';
import { notOneOf } from '../storage/judge.js';
import { filesUnder, type Place } from '../storage/place.js';
import type { Ids } from '../storage/storage-state.js';
import { WHOLE_WRITES } from '../tools/strace.js';
import { isIn, MUTATING_CALLS, pathsOf, READING_CALLS } from '../trace/mutating-calls.js';

/** A system call that fails once. */
export interface InjectedError extends KillPoint {
  readonly error: string;
}

export interface InjectedFigures {
  /** By what calls were made to fail. */
  readonly mode: 'strace';
  readonly places: number;
  /** Processes in which one call failed. */
  readonly injected: number;
  /** Calls of the store that rejected, all with a code. */
  readonly refusals: number;
  /** Errors that were chosen and never came to pass. */
  readonly missed: readonly string[];
  readonly inconsistent: readonly string[];
}

const ERRORS: Readonly<Record<string, readonly string[]>> = {
  write: ['ENOSPC', 'EIO'],
  pwrite64: ['ENOSPC', 'EIO'],
  fsync: ['EIO', 'ENOSPC'],
  fdatasync: ['EIO', 'ENOSPC'],
  openat: ['EMFILE', 'EACCES'],
  mkdir: ['ENOSPC', 'EROFS'],
  rename: ['EIO'],
  unlink: ['EIO'],
  ftruncate: ['EIO'],
  pread64: ['EIO'],
};

export interface InjectionOptions {
  /** At most so many; all when absent. */
  readonly points?: number;
  /** Whether what the store acknowledges is to be on disk. */
  readonly survivesPowerLoss: boolean;
  readonly untilFirst: boolean;
}

/**
 * Lets one system call of a flow fail, for each of them. A refused call must reject with a code and change nothing, the same call
 * made again must succeed, and nothing may be left lying about.
 */
export async function injectErrors(
  scene: Scene,
  inspectors: readonly Inspector[],
  options: InjectionOptions,
): Promise<InjectedFigures> {
  const calls = [...MUTATING_CALLS, ...READING_CALLS];
  const { trace, place, journal } = await traceRun(scene, 'trace', { calls });
  const points = [killPoints, openPoints, readPoints].flatMap((of) => of(trace, place.folder));
  const places = [...new Map(points.map((point) => [`${point.call} ${point.ordinal}`, point])).values()];
  const errors = places.flatMap((point) => (ERRORS[point.call] ?? []).map((error) => ({ ...point, error })));
  const ids = idsOf(scene.before, journal);
  const files = filesUnder(place.folder).length;
  const queue = spread(errors, options.points ?? errors.length).values();
  const inconsistent: string[] = [];
  const missed: string[] = [];
  let [injected, refusals] = [0, 0];
  const work = async (inspector: Inspector, lane: string) => {
    for (const { error, ...point } of queue) {
      if (options.untilFirst && inconsistent.length > 0) return;
      const where = `${error} at ${point.call} ${point.nth}`;
      const isHit = await strikeAt(point, async (aimed) => {
        const failing = { scene, inspector, lane, error: { ...aimed, error }, ids, files };
        const run = await failOnce({ ...failing, survivesPowerLoss: options.survivesPowerLoss });
        if (run.refusals !== undefined) injected += 1;
        refusals += run.refusals ?? 0;
        if (run.wrong) inconsistent.push(`${scene.flow.name}, ${where}: ${run.wrong}`);
        return run.shot;
      });
      if (!isHit) missed.push(where);
    }
  };
  await Promise.all(inspectors.map((inspector, lane) => work(inspector, `fault-${lane}`)));
  return { mode: 'strace', places: places.length, injected, refusals, missed, inconsistent };
}

interface FailingRun {
  readonly scene: Scene;
  readonly inspector: Inspector;
  readonly lane: string;
  readonly error: InjectedError;
  readonly ids: Ids;
  /** How many a run without a fault leaves. */
  readonly files: number;
  readonly survivesPowerLoss: boolean;
}

interface FailedRun {
  readonly shot: Shot;
  /** Absent when the error hit something that is not the storage's. */
  readonly refusals?: number;
  readonly wrong?: string | undefined;
}

async function failOnce(failing: FailingRun): Promise<FailedRun> {
  const { scene, inspector, lane, error, ids, files } = failing;
  const mayLose = failing.survivesPowerLoss && isSync(error.call);
  const { place, order } = stage(scene, lane);
  const log = join(scene.work, lane, 'trace.txt');
  rmSync(log, { force: true });
  const inject = `${error.call}:error=${error.error}:when=${error.ordinal}`;
  const calls = [...MUTATING_CALLS, ...READING_CALLS];
  const tracing = { log, inject, calls, bytes: mayLose ? WHOLE_WRITES : 0 };
  const { trace, ended } = await runTraced({ ...order, looks: ids }, tracing);
  const shot = shotAt(error, trace, place.folder, isInjected);
  const hits = trace.calls.filter(({ result }) => isInjected(result));
  const isHit =
    hits.length > 0 && hits.every((call) => pathsOf(call).some((path) => isIn(path, place.folder)));
  if (!isHit) return { shot };
  const journal = readJournal(order.journal);
  const refusals = journal.filter(({ k }) => k === 'refused').length;
  const { module, flow } = scene;
  const request = { module, flow: flow.name, ids: idsOf(scene.before, journal), owner: 'worker-2' };
  const look = async ({ config }: Place) => {
    const { found } = await inspector.inspect({ ...request, config, goesOn: false });
    return notOneOf(found, allowedStates([scene.before], journal));
  };
  const lost = async () => {
    const wrong = await look(leftAfterFailedSync(scene, trace, place.folder, `${lane}-lost`));
    return wrong && `after a power cut: ${wrong}`;
  };
  const wrong =
    journal
      .map((entry, at) => wrongIn(entry, scene, journal.slice(0, at)))
      .find((each) => each !== undefined) ??
    (trace.exitCode === 0
      ? undefined
      : `the call made again failed as well: ${ended.stderr.trim().slice(-400)}`) ??
    (await look(place)) ??
    leftBehind(filesUnder(place.folder), files) ??
    (mayLose ? await lost() : undefined);
  return { shot, refusals, wrong };
}

function isInjected(result: string | undefined): boolean {
  return result?.includes('INJECTED') === true;
}

function wrongIn(
  entry: JournalEntry,
  { before }: Scene,
  earlier: readonly JournalEntry[],
): string | undefined {
  if (entry.k === 'refused' && !entry.code?.startsWith('LOUSHO_'))
    return `rejected without a code: ${entry.message}`;
  if (entry.k !== 'saw') return undefined;
  if (entry.state === undefined)
    return `after the refusal nothing could be read: ${entry.code}: ${entry.message}`;
  const wrong = notOneOf(entry.state, allowedStates([before], earlier));
  return wrong && `after the refusal: ${wrong}`;
}

/** One half-made file for a live writer is the most (A48). */
function leftBehind(found: readonly string[], expected: number): string | undefined {
  return found.length > expected + 1
    ? `${found.length} files instead of ${expected}: ${found.join(' ')}`
    : undefined;
}
