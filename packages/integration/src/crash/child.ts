import { type ChildProcess, fork } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type ChildMessage, CLOCKS } from './child-message.js';
import { beforeDeadline, until } from './deadline.js';
import { type ClockReading, hostNow } from './host-time.js';
import { Inbox } from './inbox.js';
import type { GivenClock, SkewedClocks } from './skewed-clocks.js';

export interface ChildStart {
  /** The test whose role it plays. */
  readonly test: string;
  readonly role: string;
  /** JSON. */
  readonly settings: unknown;
}

export interface ChildEnd {
  readonly code: number | null;
  readonly signal: string | null;
}

const MAIN = fileURLToPath(new URL('./child-main.js', import.meta.url));
const living = new Set<Child>();
let clocks: SkewedClocks | undefined;

/** Children that are started from now on have these clocks; without, that of the host. */
export function giveClocks(given: SkewedClocks | undefined): void {
  clocks = given;
}

/** Starts a real process that plays a role of a test. */
export function startChild(start: ChildStart): Child {
  return new Child(start, clocks?.next());
}

/** Ends, by their ids, the children that are still there, stopped ones included. */
export function killChildren(): void {
  for (const child of living) child.signal('SIGKILL');
}

export class Child {
  /** By hostNow(), right before the process was started. */
  readonly startedAt = hostNow();
  readonly #ended: Promise<ChildEnd>;
  readonly #process: ChildProcess;
  readonly #name: string;
  readonly #inbox = new Inbox();
  #complaints = '';

  constructor({ test, role, settings }: ChildStart, clock?: GivenClock) {
    this.#process = fork(MAIN, [test, role, JSON.stringify(settings)], {
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      env: { ...process.env, ...clock?.env },
    });
    this.#name = `${role} of test ${test}, process ${this.pid}`;
    this.#process.on('message', (message: ChildMessage) => {
      if (message.kind === CLOCKS) clock?.told(message as unknown as ClockReading);
      else this.#inbox.put(message);
    });
    this.#process.stderr?.on('data', (chunk) => {
      this.#complaints = `${this.#complaints}${chunk}`.slice(-2000);
    });
    living.add(this);
    this.#ended = new Promise((resolve) => {
      this.#process.on('error', (error) => this.#end(`could not be started: ${error.message}`));
      // `close` comes behind the last message and the last line of stderr.
      this.#process.on('close', (code, signal) => {
        this.#end(`ended with ${signal ?? `code ${code}`}`);
        resolve({ code, signal });
      });
    });
  }

  get pid(): number {
    return this.#process.pid ?? -1;
  }

  tell(kind: string, data?: Readonly<Record<string, unknown>>): void {
    this.#process.send({ ...data, kind });
  }

  /** The next message of one of these kinds; rejects when the process ends first or at the deadline. */
  wait(...kinds: readonly string[]): Promise<ChildMessage> {
    return beforeDeadline(this.#inbox.take(kinds), `${kinds.join(' or ')} from ${this.#name}`);
  }

  signal(signal: NodeJS.Signals): void {
    this.#process.kill(signal);
  }

  /** SIGKILL; resolves when the process is gone. */
  async kill(): Promise<void> {
    this.signal('SIGKILL');
    await this.gone();
  }

  /** Resolves with how it ended. */
  gone(): Promise<ChildEnd> {
    return beforeDeadline(this.#ended, `the end of ${this.#name}`);
  }

  /** SIGSTOP; resolves when every thread stands still. */
  async freeze(): Promise<void> {
    this.signal('SIGSTOP');
    if (process.platform !== 'linux') return;
    await until(() => isStopped(this.pid) || undefined, `${this.#name} to stop`, { everyMs: 1 });
  }

  thaw(): void {
    this.signal('SIGCONT');
  }

  /** Resolves when it has ended by itself and well; rejects otherwise. */
  async finished(): Promise<void> {
    const { code } = await this.gone();
    if (code !== 0) throw new Error(`${this.#name}: ended with code ${code}\n${this.#complaints}`);
  }

  #end(how: string): void {
    living.delete(this);
    const complaints = this.#complaints.trim();
    this.#inbox.end(new Error(`${this.#name}: ${how}${complaints && `\n${complaints}`}`));
  }
}

function isStopped(pid: number): boolean {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return stat.slice(stat.lastIndexOf(')') + 2).startsWith('T');
}
