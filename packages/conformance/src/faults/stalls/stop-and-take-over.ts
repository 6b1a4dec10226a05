import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { spread } from '../kill/kill-points.js';
import type { Inspector } from '../process/start-inspector.js';
import { startTraced } from '../process/traced-victim.js';
import { type Scene, stage, traceRun } from '../scene.js';
import { allowedStates } from '../storage/allowed-states.js';
import { idsOf } from '../storage/ids.js';
import { type JournalEntry, readJournal } from '../storage/journal.js';
import { judge, notOneOf } from '../storage/judge.js';
import { killGroup } from '../tools/command.js';

export interface StallFigures {
  /** By what processes were stopped. */
  readonly mode: 'strace';
  readonly places: number;
  /** Processes that were stopped, replaced and woken. */
  readonly stopped: number;
  /** Phases that were chosen, and in which no process stood still. */
  readonly missed: readonly string[];
  readonly inconsistent: readonly string[];
}

/**
 * Stops a run at its phases (before and after each call of the store), lets a process that lives later take over and finish, and
 * wakes it: from then on it may change nothing unless it is granted the lease anew (A01, A03).
 */
export async function stopAndTakeOver(
  scene: Scene,
  later: Inspector,
  options: { readonly points?: number } = {},
): Promise<StallFigures> {
  const { journal } = await traceRun(scene, 'trace');
  const phases = journal.map((_, at) => ({ call: 'write', number: at + 1 }));
  const inconsistent: string[] = [];
  const missed: string[] = [];
  let stopped = 0;
  for (const phase of spread(phases, options.points ?? phases.length)) {
    const outcome = await stall(scene, later, phase);
    const where = `${scene.flow.name} stopped at phase ${phase.number} of ${phases.length}`;
    if (outcome === 'not stopped') missed.push(where);
    else stopped += 1;
    if (outcome && outcome !== 'not stopped') inconsistent.push(`${where}: ${outcome}`);
  }
  return { mode: 'strace', places: phases.length, stopped, missed, inconsistent };
}

/** An entry of the journal: each is one write. */
interface Phase {
  readonly call: string;
  readonly number: number;
}

async function stall(
  scene: Scene,
  later: Inspector,
  phase: Phase,
): Promise<string | undefined | 'not stopped'> {
  const { place, order } = stage(scene, 'stall');
  const log = join(scene.work, 'stall', 'trace.txt');
  const inject = `${phase.call}:signal=STOP:when=${phase.number}`;
  const child = startTraced(order, { log, inject, paths: [order.journal] });
  const exited = once(child, 'exit');
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
  try {
    while (!hasEnded() && !isStopped(log)) await sleep(5);
    const early = readJournal(order.journal);
    const [begun] = early;
    if (hasEnded() || begun?.k !== 'started') return 'not stopped';
    const { module, flow, before } = scene;
    const request = { module, config: place.config, flow: flow.name, ids: idsOf(before, early) };
    const taken = await later.inspect({ ...request, owner: 'worker-2', goesOn: true });
    // At that moment every lease is over, the bystander's as well.
    const judged = { ...taken, tookBystander: false };
    // More than once: the first may come before it stands still.
    while (!hasEnded()) {
      wake(begun.pid);
      await Promise.race([exited, sleep(50)]);
    }
    const states = allowedStates([before], early);
    const wrong = judge({ states, journal: early, isProvablyOver: true }, judged);
    if (wrong) return wrong;
    const woken = readJournal(order.journal).slice(early.length);
    const stale = savedWithoutLease(early, woken, taken.lease?.epoch);
    if (stale) return stale;
    const left = await later.inspect({ ...request, owner: 'worker-4', goesOn: false });
    const replaced = 'message' in taken.found ? [] : allowedStates([taken.found], taken.journal);
    return notOneOf(left.found, allowedStates(replaced, woken));
  } finally {
    killGroup(child);
  }
}

function wake(pid: number): void {
  try {
    process.kill(pid, 'SIGCONT');
  } catch {
    // It has ended.
  }
}

function isStopped(log: string): boolean {
  return existsSync(log) && readFileSync(log, 'utf8').includes('--- stopped by SIGSTOP ---');
}

/**
 * A save that was accepted after the wake-up although its owner had been replaced and was not granted the lease again. A grant from
 * before the stop may be told only afterwards; its epoch is below the one under which the id was taken over.
 */
function savedWithoutLease(
  early: readonly JournalEntry[],
  woken: readonly JournalEntry[],
  takenUnder: number | undefined,
): string | undefined {
  const paths = new Map(
    [...early, ...woken].flatMap((entry) => (entry.k === 'call' ? [[entry.n, entry.path]] : [])),
  );
  const begunBefore = new Set(early.flatMap((entry) => (entry.k === 'call' ? [entry.n] : [])));
  let holds = false;
  for (const entry of woken) {
    if (entry.k !== 'answer') continue;
    const path = paths.get(entry.n);
    if (path === 'checkpoints.acquireLease') holds = isGrantedAbove(entry.answer, takenUnder);
    const isNew = path === 'checkpoints.saveIfLeased' && !begunBefore.has(entry.n);
    if (isNew && entry.answer === true && !holds) return 'after its wake-up the replaced run saved';
  }
  return undefined;
}

function isGrantedAbove(answer: unknown, epoch: number | undefined): boolean {
  if (typeof answer !== 'object' || answer === null || !('epoch' in answer)) return answer === true;
  return epoch === undefined || (answer.epoch as number) > epoch;
}
