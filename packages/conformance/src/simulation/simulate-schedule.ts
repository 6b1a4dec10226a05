import type { AgentStore, CheckpointStore } from '@lousho/core/contract';
import type { History } from '../checkers/recorded-call.js';
import { type Random, seeded } from '../world/random.js';
import { Effects } from './effects.js';
import { Journal } from './journal.js';
import { judge } from './judge.js';
import { Life } from './life.js';
import { decider, type Society, userOf } from './people.js';
import { HostClock } from './process-clock.js';
import { withPromptDigests } from './prompt-digests.js';
import { Replica, SWEEP_MS, TTL_MS } from './replica.js';
import { drawPlan, type SchedulePlan } from './schedule-plan.js';
import { Scheduler } from './scheduler.js';
import type { SimulatedStorage, SimulatedWorld } from './world.js';

export interface ScheduleOptions {
  /** Stands between the executor and the store: for an executor that is broken on purpose. */
  readonly view?: (store: AgentStore) => AgentStore;
}

/** What one seed came to. */
export interface ScheduleResult {
  readonly seed: number;
  readonly world: string;
  /** Equal for equal runs. */
  readonly hash: string;
  /** What was found wrong, in words; empty when nothing was. */
  readonly violations: readonly string[];
  /** The lease and save calls of each session, for the checkers. */
  readonly histories: readonly History[];
  readonly events: number;
  /** Recorded lease and save calls. */
  readonly calls: number;
  readonly effects: number;
  readonly crashes: number;
  readonly stalls: number;
  readonly virtualMs: number;
}

/**
 * Runs replicas with the real executor over a store of a world, on virtual time, in an order and with faults that the seed chooses;
 * then ends the faults and expects every run to finish; then judges all that was recorded. The same seed always gives the same run.
 */
export function simulateSchedule(
  world: SimulatedWorld,
  seed: number,
  options: ScheduleOptions = {},
): Promise<ScheduleResult> {
  return withPromptDigests(() => new Schedule(world, seed, options).run());
}

/** Ids of one run must not remind anybody of those of an earlier one in this process, and be as long. */
let runs = 0;
/** For answers and decisions on the way. */
const SLACK_MS = 40_000;
/** Virtual milliseconds in which what is closed must have come to rest. */
const CLOSING_MS = 600_000;

class Schedule {
  readonly #random: Random;
  readonly #scheduler: Scheduler;
  readonly #clock: HostClock;
  readonly #plan: SchedulePlan;
  readonly #storage: SimulatedStorage;
  readonly #journal: Journal;
  readonly #effects: Effects;
  readonly #operator = new Life('operator', false);
  readonly #people = new Life('people', false);
  readonly #replicas: readonly Replica[];
  readonly #unfinished: Set<string>;
  /** Owners that ended with their process, and when. */
  readonly #deaths = new Map<string, number>();

  constructor(
    readonly world: SimulatedWorld,
    readonly seed: number,
    readonly options: ScheduleOptions,
  ) {
    const random = seeded(seed);
    const plan = drawPlan(random, world);
    const scheduler = new Scheduler({
      random,
      badLuck: plan.badLuck,
      onCrash: (life) => this.#onCrash(life),
    });
    const clock = new HostClock(scheduler);
    const journal = new Journal(() => scheduler.now);
    const effects = new Effects({ journal, areLeasesShort: 2 * plan.skewMs > world.graceMs });
    const { historyLimit } = plan;
    const storage = world.openStorage({ clock, historyLimit, graceMs: world.graceMs });
    runs += 1;
    this.#random = random;
    this.#plan = plan;
    this.#scheduler = scheduler;
    this.#clock = clock;
    this.#journal = journal;
    this.#effects = effects;
    this.#storage = storage;
    this.#unfinished = new Set(plan.sessions.keys());
    const parts = {
      scheduler,
      random,
      storage,
      journal,
      effects,
      clock,
      idPrefix: `${runs.toString(36).padStart(7, '0')}-`,
      scriptOf: (sessionId: string) => plan.sessions.get(sessionId) ?? [],
      view: options.view ?? ((store: AgentStore) => store),
      operator: this.#operator,
    };
    this.#replicas = plan.skewsMs.map((skewMs, index) => new Replica(`r${index + 1}`, skewMs, parts));
  }

  async run(): Promise<ScheduleResult> {
    this.#setWallClock();
    const society: Society = {
      scheduler: this.#scheduler,
      random: this.#random,
      journal: this.#journal,
      life: this.#people,
      replicas: this.#replicas,
      isOver: () => this.#unfinished.size === 0,
    };
    const users = [...this.#unfinished].map((id) => userOf(id, society, () => this.#unfinished.delete(id)));
    void decider(society);
    await this.#scheduler.run(society.isOver, this.#plan.calmAt);
    await this.#calmDown();
    await this.#close(users);
    await this.#judge();
    return this.#result();
  }

  /** The faults end, what stands still goes on, what crashed is started: from now on every run must finish in a bounded time. */
  async #calmDown(): Promise<void> {
    const scheduler = this.#scheduler;
    scheduler.calm();
    for (const replica of this.#replicas) replica.restart();
    const boundMs = TTL_MS + this.world.graceMs + 2 * this.#plan.skewMs + SWEEP_MS + SLACK_MS;
    const outcome = await scheduler.run(() => this.#unfinished.size === 0, scheduler.now + boundMs);
    if (outcome === 'done') return;
    for (const id of this.#unfinished) {
      this.#journal.violate(`${id}: not finished ${boundMs} ms after the last fault (${outcome})`);
    }
  }

  /** Everybody ends; also who was away for long acts once more, and nothing must be left behind. */
  async #close(users: readonly Promise<void>[]): Promise<void> {
    const scheduler = this.#scheduler;
    this.#unfinished.clear();
    scheduler.kill(this.#operator);
    const closed = Promise.all([...users, ...this.#replicas.map(({ agent }) => agent.close())]);
    let isClosed = false;
    closed.then(
      () => {
        isClosed = true;
      },
      (error: unknown) => this.#journal.violate(`close() rejected: ${String(error)}`),
    );
    const outcome = await scheduler.run(() => isClosed, scheduler.now + CLOSING_MS);
    if (outcome !== 'done') this.#journal.violate(`what was closed did not end (${outcome})`);
    // Requests whose clients have given up may have come behind the close.
    await scheduler.run(() => scheduler.isAtRest, scheduler.now + CLOSING_MS);
    if (!scheduler.isAtRest) this.#journal.violate(`${scheduler.timers} timers are left behind`);
  }

  async #judge(): Promise<void> {
    const seat = { clock: this.#clock, point: () => Promise.resolve(), isDead: false, dies: () => false };
    const checkpoints = this.#storage.client(seat).checkpoints as Required<CheckpointStore>;
    const journal = this.#journal;
    const { historyLimit } = this.#plan;
    for (const sessionId of this.#plan.sessions.keys()) {
      const calls = this.#history(sessionId);
      const faults = await judge({ sessionId, journal, checkpoints, historyLimit, calls });
      for (const fault of faults) this.#journal.violate(fault);
    }
  }

  #history(sessionId: string): History {
    return {
      calls: this.#journal.calls.get(sessionId) ?? [],
      graceMs: this.world.graceMs,
      skewMs: this.#plan.skewMs,
      deaths: this.#deaths,
    };
  }

  #onCrash(life: Life): void {
    this.#replicas.find((replica) => replica.life === life)?.crashed();
    for (const calls of this.#journal.calls.values()) {
      for (const { client, operation } of calls) {
        if (client === life.name && 'owner' in operation && operation.owner !== undefined) {
          this.#deaths.set(operation.owner, this.#journal.order);
        }
      }
    }
  }

  #setWallClock(): void {
    const { wallJump } = this.#plan;
    if (!wallJump) return;
    this.#scheduler.schedule(
      this.#operator,
      () => {
        this.#clock.wallOffsetMs = wallJump.byMs;
      },
      wallJump.at,
    );
  }

  #result(): ScheduleResult {
    const { hash, crashes, stalls, now } = this.#scheduler;
    const histories = [...this.#plan.sessions.keys()].map((id) => this.#history(id));
    const { modelCalls, toolCalls } = this.#effects;
    return {
      seed: this.seed,
      world: this.world.name,
      hash: hash.text,
      violations: this.#journal.violations,
      events: hash.count,
      histories,
      calls: histories.reduce((sum, { calls }) => sum + calls.length, 0),
      effects: modelCalls + toolCalls,
      crashes,
      stalls,
      virtualMs: now,
    };
  }
}
