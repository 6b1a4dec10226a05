import type { Random } from '../world/random.js';
import { whenDrained } from './drained.js';
import { EventHash } from './event-hash.js';
import { drawFault, type PointKind, SUDDEN_DEATH } from './faults.js';
import type { Life } from './life.js';

interface Waiting {
  readonly life: Life;
  readonly name: string;
  readonly kind: PointKind;
  readonly goOn: () => void;
  isSpared: boolean;
}

interface Timer {
  readonly life: Life;
  dueAt: number;
  readonly wake: () => void;
  /** Time that the world takes for something, and no timer of the process. */
  readonly isSleep: boolean;
}

export interface SchedulerOptions {
  readonly random: Random;
  /** Multiplies the stalls at I/O points. */
  readonly badLuck: number;
  readonly onCrash: (life: Life) => void;
}

/** Real milliseconds that a wait outside the virtual time (a pause between two tries) gets before all is taken for stuck. */
const PATIENCE_MS = 200;
/** A point and the next one are so many virtual milliseconds apart, at most. */
const LONGEST_MOMENT_MS = 12;

/**
 * The one runner of everything: lets one waiting point or due timer go on at a time, chosen by the seed, and comes back when nothing
 * moves any more. When nothing is ready, time jumps.
 */
export class Scheduler {
  readonly hash = new EventHash();
  now = 0;
  areFaultsOn = true;
  stalls = 0;
  crashes = 0;
  readonly #waiting: Waiting[] = [];
  readonly #timers: Timer[] = [];

  constructor(readonly options: SchedulerOptions) {}

  /** Where the scheduler may let others go first, stop the process, or end it. */
  point(life: Life, name: string, kind: PointKind): Promise<void> {
    return new Promise((goOn) => {
      if (!life.isDead) this.#waiting.push({ life, name, kind, goOn, isSpared: !life.isMortal });
    });
  }

  schedule(life: Life, wake: () => void, delayMs: number): () => void {
    return this.#wakeUp(life, wake, delayMs, false);
  }

  /** Time passes for something else than a timer of the process; the end of the faults cuts it short. */
  pass(life: Life, wake: () => void, ms: number): () => void {
    return this.#wakeUp(life, wake, ms, true);
  }

  sleep(life: Life, ms: number): Promise<void> {
    return new Promise((resolve) => this.pass(life, resolve, ms));
  }

  /** Timers of processes that live. */
  get timers(): number {
    return this.#timers.filter(({ isSleep }) => !isSleep).length;
  }

  /** Nothing is under way in any process, and nothing will be. */
  get isAtRest(): boolean {
    return this.#waiting.length === 0 && this.timers === 0;
  }

  /** The faults end: what stands still goes on, and what takes long is over. */
  calm(): void {
    this.areFaultsOn = false;
    for (const { life } of this.#waiting) life.stoppedUntil = 0;
    for (const timer of this.#timers) {
      timer.life.stoppedUntil = 0;
      if (timer.isSleep) timer.dueAt = Math.min(timer.dueAt, this.now);
    }
  }

  /** Ends a process between two changes that it makes in one turn, where the seed says so. */
  strike(life: Life, name: string): boolean {
    if (!this.areFaultsOn || life.isDead || !this.options.random.chance(SUDDEN_DEATH)) return false;
    this.crashes += 1;
    this.hash.add(`${life.name} is struck at ${name}`);
    this.kill(life);
    return true;
  }

  kill(life: Life): void {
    if (life.isDead) return;
    this.hash.add(`${life.name} dies`);
    for (const list of [this.#waiting, this.#timers] as { life: Life }[][]) {
      for (let at = list.length - 1; at >= 0; at--) if (list[at]?.life === life) list.splice(at, 1);
    }
    life.die();
    this.options.onCrash(life);
  }

  /** Runs until something is so, or `until` is over. `stuck`: nothing will ever happen again. */
  async run(isDone: () => boolean, until = Number.POSITIVE_INFINITY): Promise<'done' | 'over' | 'stuck'> {
    for (;;) {
      const outcome = await whenDrained(() => this.#step(isDone, until));
      if (outcome !== 'nothing moves') return outcome;
      if (!(await this.#hasSomethingComeFromOutside())) return 'stuck';
    }
  }

  /** Lets one point or timer go on; nothing when there was one. */
  #step(isDone: () => boolean, until: number): 'done' | 'over' | 'nothing moves' | undefined {
    for (;;) {
      if (isDone()) return 'done';
      const ready = this.#countReady();
      if (ready > 0) {
        if (this.now > until) return 'over';
        this.#letGo(this.#readyAt(this.options.random.int(ready)));
        return undefined;
      }
      const next = this.#nextMoment();
      if (next > until) return 'over';
      if (next === Number.POSITIVE_INFINITY) return 'nothing moves';
      this.now = next;
    }
  }

  #wakeUp(life: Life, wake: () => void, delayMs: number, isSleep: boolean): () => void {
    const timer = { life, dueAt: this.now + delayMs, wake, isSleep };
    if (!life.isDead) this.#timers.push(timer);
    return () => remove(this.#timers, timer);
  }

  /** Counted before one is chosen: a list of them would be made and dropped with every step. */
  #countReady(): number {
    let count = 0;
    for (const entry of this.#waiting) if (this.#isReady(entry)) count++;
    for (const timer of this.#timers) if (this.#isDue(timer)) count++;
    return count;
  }

  #readyAt(index: number): Waiting | Timer {
    let left = index;
    for (const entry of this.#waiting) if (this.#isReady(entry) && left-- === 0) return entry;
    for (const timer of this.#timers) if (this.#isDue(timer) && left-- === 0) return timer;
    throw new RangeError(`Expected more than ${index} to be ready`);
  }

  #isReady({ life }: Waiting): boolean {
    return life.stoppedUntil <= this.now;
  }

  #isDue({ dueAt, life }: Timer): boolean {
    return dueAt <= this.now && life.stoppedUntil <= this.now;
  }

  #nextMoment(): number {
    let next = Number.POSITIVE_INFINITY;
    for (const { life } of this.#waiting) next = Math.min(next, life.stoppedUntil);
    for (const { life, dueAt } of this.#timers) next = Math.min(next, Math.max(dueAt, life.stoppedUntil));
    return next;
  }

  #letGo(chosen: Waiting | Timer): void {
    if ('wake' in chosen) {
      remove(this.#timers, chosen);
      this.hash.add(`${this.now} ${chosen.life.name} wakes`);
      chosen.wake();
      return;
    }
    if (this.#suffers(chosen)) return;
    remove(this.#waiting, chosen);
    this.now += this.options.random.int(LONGEST_MOMENT_MS);
    this.hash.add(`${this.now} ${chosen.life.name} ${chosen.name}`);
    chosen.goOn();
  }

  /** Each point is struck once at most. */
  #suffers(chosen: Waiting): boolean {
    if (chosen.isSpared || !this.areFaultsOn) return false;
    chosen.isSpared = true;
    const fault = drawFault(chosen.kind, this.options.badLuck, this.options.random);
    if (!fault) return false;
    if (fault.kind === 'crash') {
      this.crashes += 1;
      this.kill(chosen.life);
    } else {
      this.stalls += 1;
      this.hash.add(`${chosen.life.name} stands still for ${fault.ms}`);
      chosen.life.stoppedUntil = this.now + fault.ms;
    }
    return true;
  }

  async #hasSomethingComeFromOutside(): Promise<boolean> {
    for (let waited = 0; waited < PATIENCE_MS; waited += 5) {
      await new Promise((resolve) => setTimeout(resolve, 5));
      if (this.#waiting.length + this.#timers.length > 0) return true;
    }
    return false;
  }
}

function remove<T>(list: T[], entry: T): void {
  const at = list.indexOf(entry);
  if (at !== -1) list.splice(at, 1);
}
