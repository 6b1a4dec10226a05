import { join } from 'node:path';
import { seeded } from '../../world/random.js';
import type { Inspector } from '../process/start-inspector.js';
import { type Scene, type TracedRun, traceRun } from '../scene.js';
import { allowedStates } from '../storage/allowed-states.js';
import { idsOf } from '../storage/ids.js';
import { type JournalEntry, parseJournal } from '../storage/journal.js';
import { judge } from '../storage/judge.js';
import { movedTo } from '../storage/place.js';
import { WHOLE_WRITES } from '../tools/strace.js';
import { bytesOf, fileOf, type TracedCall } from '../trace/strace-line.js';
import { cutsOf, digestOf, type Tree, treeAfter } from './cuts.js';
import { readDisk } from './disk.js';
import { DiskReplay } from './disk-events.js';
import { layOut } from './lay-out.js';

export interface PowerCutOptions {
  /** About so many states, spread over the flow; all when absent. */
  readonly states?: number;
  /** Arbitrary choices at each moment, beside the systematic ones. */
  readonly arbitrary?: number;
  readonly seed: number;
  readonly untilFirst?: boolean;
}

export interface PowerCutFigures {
  /** By what the flow was recorded. */
  readonly mode: 'strace';
  /** Moments at which the power was cut. */
  readonly moments: number;
  /** Different states that were opened. */
  readonly states: number;
  readonly inconsistent: readonly string[];
}

/** What is left after one cut, and what had been told by then. */
interface LeftState {
  readonly says: string;
  readonly tree: Tree;
  readonly told: readonly JournalEntry[];
}

/** Records what a flow does to the disk, then cuts the power after each of its calls, in every way that a disk may lose what is not synced. */
export async function powerCuts(
  scene: Scene,
  inspectors: readonly Inspector[],
  options: PowerCutOptions,
): Promise<PowerCutFigures> {
  const recorded = await traceRun(scene, 'recorded', { bytes: WHOLE_WRITES });
  const plan = planOf(scene, recorded, options);
  const left = statesLeft(scene, recorded, options, plan);
  const inconsistent: string[] = [];
  let states = 0;
  const work = async (inspector: Inspector, lane: string) => {
    for (const state of left) {
      states += 1;
      const wrong = await lookAt(scene, inspector, lane, state);
      if (wrong) inconsistent.push(`${scene.flow.name}, power cut ${state.says}: ${wrong}`);
      if (options.untilFirst && inconsistent.length > 0) return;
    }
  };
  await Promise.all(inspectors.map((inspector, lane) => work(inspector, `cut-${lane}`)));
  return { mode: 'strace', moments: plan.moments, states, inconsistent };
}

interface Plan {
  readonly moments: number;
  readonly candidates: number;
}

/** How many there are, without building any. */
function planOf(scene: Scene, recorded: TracedRun, options: PowerCutOptions): Plan {
  let [moments, candidates] = [0, 0];
  for (const { cuts } of momentsOf(scene, recorded, options)) {
    moments += 1;
    candidates += cuts.length;
  }
  return { moments, candidates };
}

function* statesLeft(
  scene: Scene,
  recorded: TracedRun,
  options: PowerCutOptions,
  { candidates }: Plan,
): Generator<LeftState> {
  const share = Math.min(1, (options.states ?? candidates) / candidates);
  const seen = new Set<string>();
  let at = 0;
  for (const { replay, cuts, told, says } of momentsOf(scene, recorded, options)) {
    for (const cut of cuts) {
      at += 1;
      // Evenly over all of them.
      if (Math.floor(at * share) === Math.floor((at - 1) * share)) continue;
      const tree = treeAfter(replay.disk, cut);
      const digest = `${told.length} ${digestOf(tree)}`;
      if (seen.has(digest)) continue;
      seen.add(digest);
      yield { says: `${says}; ${cut.says}`, tree, told: [...told] };
    }
  }
}

/** Plays the recorded calls again, and stops after each one that changed the disk or told something. */
function* momentsOf(scene: Scene, { trace, place, journalPath }: TracedRun, options: PowerCutOptions) {
  const replay = new DiskReplay(readDisk(scene.template.folder), place.folder);
  const random = seeded(options.seed);
  const choices = options.arbitrary ? { random, count: options.arbitrary } : undefined;
  const told: JournalEntry[] = [];
  for (const [at, call] of trace.calls.entries()) {
    const isChanged = replay.apply(call);
    const line = toldBy(call, journalPath);
    told.push(...line);
    if (isChanged || line.some(({ k }) => k === 'answer')) {
      yield { replay, told, cuts: cutsOf(replay.disk, choices), says: `after ${call.name} (call ${at + 1})` };
    }
  }
}

function toldBy(call: TracedCall, journalPath: string): readonly JournalEntry[] {
  if (call.name !== 'write' || fileOf(call.args[0]) !== journalPath) return [];
  return parseJournal(bytesOf(call.args[1]).toString());
}

async function lookAt(
  scene: Scene,
  inspector: Inspector,
  lane: string,
  { tree, told }: LeftState,
): Promise<string | undefined> {
  const folder = layOut(tree, join(scene.work, lane));
  const { flow, module, before } = scene;
  const { config } = movedTo(scene.template, folder);
  const ids = idsOf(before, told);
  const inspection = await inspector.inspect({
    module,
    config,
    flow: flow.name,
    ids,
    owner: 'worker-2',
    goesOn: true,
  });
  return judge({ states: allowedStates([before], told), journal: told, isProvablyOver: true }, inspection);
}
