import { rmSync } from 'node:fs';
import { MessageChannel, type MessagePort, receiveMessageOnPort, Worker } from 'node:worker_threads';
import type { FileStore, fileStore } from '@lousho/store-file';
import { Client, jumpingClock, OPTIONS } from '../fixtures/explorer-acts.js';
import { faultFs } from './fault-fs.js';
import { random } from './random.js';

export interface Exploration {
  readonly runs: number;
  readonly preemptions: number;
  readonly acknowledged: number;
  readonly violations: readonly string[];
}

export interface ExplorerOptions {
  /** URL of the store's module. */
  readonly module: string;
  readonly dir: string;
  readonly seed: number;
  readonly runs: number;
  readonly untilFirst?: boolean;
  /** Restricts what the client does that is pre-empted, and what the other does. */
  readonly acts?: readonly string[];
  readonly interferences?: readonly string[];
}

interface Report {
  readonly acked: readonly string[];
  readonly wiped: number;
  readonly isDeleting: boolean;
  readonly fault?: string;
}

const ACTS = [
  'save',
  'coldSave',
  'takeSave',
  'renew',
  'release',
  'load',
  'coldLoad',
  'list',
  'compact',
  'takeCompactSave',
  'delete',
  'recreate',
];
const INTERFERENCES = [
  'takeSave',
  'takeSaveSave',
  'coldPeek',
  'takeCompact',
  'takeCompactSave',
  'recreate',
  'coldLoad',
  'renew',
  'delete',
];
/** No act makes more calls. */
const MAX_CALLS = 110;
const MAX_WAIT_MS = 10_000;

/** Runs one act after another, and before one of its file calls a whole act of a second client in another thread. */
export async function explore(options: ExplorerOptions): Promise<Exploration> {
  const counter = new BigInt64Array(new SharedArrayBuffer(8));
  const signal = new Int32Array(new SharedArrayBuffer(4));
  const { module, seed, runs } = options;
  const { port1: ours, port2: theirs } = new MessageChannel();
  const worker = new Worker(new URL('../fixtures/explorer-worker.js', import.meta.url), {
    workerData: { module, counter, signal, port: theirs },
    transferList: [theirs],
  });
  const { fileStore: openStore } = (await import(module)) as { fileStore: typeof fileStore };
  const other = new OtherThread(ours, signal);
  const chance = random(seed);
  const pick = (list: readonly string[]) => list[chance.below(list.length)]!;
  const result = { runs: 0, preemptions: 0, acknowledged: 0, violations: [] as string[] };
  try {
    for (let run = 0; run < runs; run++) {
      const [act, at, interference] = [
        pick(options.acts ?? ACTS),
        chance.below(MAX_CALLS),
        pick(options.interferences ?? INTERFERENCES),
      ];
      const isWarm = chance.below(2) === 0;
      // From nearly after each record to hardly ever.
      const compactAfterBytes = chance.below(4) * 500;
      const compactAfterBytesOfOther = chance.below(2) === 0 ? compactAfterBytes : 1_000_000;
      result.runs++;
      const told = await closing({
        act,
        at,
        interference,
        isWarm,
        compactAfterBytes,
        compactAfterBytesOfOther,
      });
      result.preemptions += told.preempted ? 1 : 0;
      result.acknowledged += told.acknowledged;
      const where = `seed ${seed} run ${run}: ${act} at call ${at}, ${interference}${isWarm ? ', warm' : ''}`;
      if (told.violation) result.violations.push(`${where}: ${told.violation}`);
      if (told.violation && options.untilFirst) break;
    }
  } finally {
    ours.close();
    await worker.terminate();
  }
  return result;

  async function closing(plan: Plan) {
    const told = await oneRun(plan);
    try {
      other.doNow({ close: true });
      return told;
    } catch (error) {
      return { ...told, violation: told.violation ?? `at the end: ${String(error)}` };
    }
  }

  async function oneRun(plan: Plan) {
    rmSync(options.dir, { recursive: true, force: true });
    const state = {
      isOn: false,
      calls: 0,
      report: undefined as Report | undefined,
      fault: undefined as unknown,
    };
    const fs = faultFs({
      withoutSync: true,
      before: () => {
        if (!state.isOn || state.calls++ !== plan.at) return;
        state.isOn = false;
        try {
          state.report = other.doNow({ act: plan.interference });
        } catch (error) {
          // Not for the store to handle.
          state.fault = error;
        }
        state.isOn = true;
      },
    });
    const clock = jumpingClock(counter);
    const { compactAfterBytes } = plan;
    const storeOptions = { ...OPTIONS, compactAfterBytes };
    const a = new Client('A', (): FileStore => openStore(options.dir, { ...storeOptions, clock, fs }));
    other.doNow({ open: options.dir, compactAfterBytes: plan.compactAfterBytesOfOther });
    try {
      await a.act('takeSave');
      if (plan.isWarm) other.doNow({ act: 'load' });
      const setup = a.acked.length;
      state.isOn = true;
      await a.act(plan.act);
      state.isOn = false;
      if (state.fault) throw state.fault;
      const report = state.report;
      const during = a.acked.length;
      await a.act('takeSave');
      const b = other.doNow({ act: 'takeSave' });
      await a.act('takeSave');
      const last = [...a.acked.slice(during), ...b.acked.slice(report?.acked.length ?? 0)];
      // What came before a delete, or at the same time as one, may be gone; nothing else may.
      const isWiped = a.isDeleting || report?.isDeleting;
      const kept = report?.isDeleting && !a.isDeleting ? report.acked.slice(report.wiped) : [];
      const must = isWiped ? [...last, ...kept] : [...a.acked, ...b.acked];
      const may = new Set([...a.acked, ...b.acked]);
      const fresh = new Client('C', (): FileStore => openStore(options.dir, { ...storeOptions, clock, fs }));
      let violation: string | undefined;
      for (const { store } of [a, fresh]) {
        const found = ((await store.checkpoints.load('x'))?.messages ?? []).map(({ content }) =>
          String(content),
        );
        violation ??= judge(found, must, may);
      }
      await fresh.store.close();
      return { violation, preempted: report !== undefined, acknowledged: may.size - setup };
    } catch (error) {
      return failed(String((error as Error).stack));
    } finally {
      state.isOn = false;
      await a.store.close();
    }

    function failed(fault: string) {
      return { violation: fault.slice(0, 600), preempted: true, acknowledged: 0 };
    }
  }
}

function judge(
  found: readonly string[],
  must: readonly string[],
  may: ReadonlySet<string>,
): string | undefined {
  const lost = must.filter((own) => !found.includes(own));
  if (lost.length > 0) return `acknowledged saves ${lost} are missing in ${found}`;
  if (new Set(found).size !== found.length) return `a save is there twice: ${found}`;
  const unknown = found.filter((own) => !may.has(own));
  return unknown.length > 0 ? `saves ${unknown} were never acknowledged` : undefined;
}

/** A client in another thread, for which this one stands still. */
class OtherThread {
  constructor(
    readonly port: MessagePort,
    readonly signal: Int32Array,
  ) {}

  /** Throws when the other client fails or hangs. */
  doNow(message: Order): Report {
    Atomics.store(this.signal, 0, 0);
    this.port.postMessage(message);
    // The wake-up for the order before may come late, so only the value says that this one is done.
    while (Atomics.load(this.signal, 0) === 0) {
      if (Atomics.wait(this.signal, 0, 0, MAX_WAIT_MS) === 'timed-out') {
        throw new Error(`the other client hangs: ${JSON.stringify(message)}`);
      }
    }
    const report = receiveMessageOnPort(this.port)?.message as Report;
    if (report.fault) throw new Error(`the other client failed: ${report.fault}`);
    return report;
  }
}

interface Order {
  readonly open?: string;
  readonly compactAfterBytes?: number;
  readonly act?: string;
  readonly close?: boolean;
}

interface Plan {
  readonly act: string;
  readonly at: number;
  readonly interference: string;
  readonly isWarm: boolean;
  readonly compactAfterBytes: number;
  readonly compactAfterBytesOfOther: number;
}
