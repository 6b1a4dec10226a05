import { type Agent, createAgent } from '@lousho/core';
import { type AgentStore, type Clock, SDKError } from '@lousho/core/contract';
import type { Random } from '../world/random.js';
import type { Effects } from './effects.js';
import type { Journal } from './journal.js';
import { LeaseBelief } from './lease-belief.js';
import { Life } from './life.js';
import { processTimers, skewed } from './process-clock.js';
import { recordedStore } from './recorded-store.js';
import type { Scheduler } from './scheduler.js';
import type { Script } from './script.js';
import { simulatedModel, simulatedTools } from './simulated-tools.js';
import type { SimulatedStorage } from './world.js';

export const TTL_MS = 30_000;
export const SWEEP_MS = 60_000;
const LONGEST_RESTART_MS = 40_000;

export interface ReplicaParts {
  readonly scheduler: Scheduler;
  readonly random: Random;
  readonly storage: SimulatedStorage;
  readonly journal: Journal;
  readonly effects: Effects;
  readonly clock: Clock;
  /** Ids of this run of the simulation begin with it: no two runs in one process share an id. */
  readonly idPrefix: string;
  readonly scriptOf: (sessionId: string) => Script;
  /** Stands between the executor and the store: for an executor that is broken on purpose. */
  readonly view: (store: AgentStore) => AgentStore;
  readonly operator: Life;
}

/** A replica of a service: a process that is started again when it has crashed, and then recovers what it finds. */
export class Replica {
  life: Life;
  agent: Agent;
  #lives = 0;

  constructor(
    readonly name: string,
    readonly skewMs: number,
    readonly parts: ReplicaParts,
  ) {
    [this.life, this.agent] = this.#start();
  }

  get isUp(): boolean {
    return !this.life.isDead;
  }

  /** The operator notices a crash after a while. */
  crashed(): void {
    const { scheduler, operator, random } = this.parts;
    scheduler.schedule(operator, () => this.restart(), 1_000 + random.int(LONGEST_RESTART_MS));
  }

  restart(): void {
    if (!this.isUp) [this.life, this.agent] = this.#start();
  }

  /** What the process answers, or the news that it crashed. */
  async ask<T>(request: (agent: Agent) => Promise<T>): Promise<T> {
    const { life, agent } = this;
    return Promise.race([request(agent), life.died]);
  }

  #start(): [Life, Agent] {
    const { scheduler, random, storage, journal, effects, scriptOf, view, idPrefix } = this.parts;
    this.#lives += 1;
    const life = new Life(`${this.name}.${this.#lives}`, true);
    const clock = skewed(this.parts.clock, this.skewMs);
    const belief = new LeaseBelief(clock);
    const client = storage.client({
      clock,
      point: (name) => scheduler.point(life, name, 'io'),
      get isDead() {
        return life.isDead;
      },
      dies: (name) => scheduler.strike(life, name),
    });
    const store = recordedStore(client, {
      client: life.name,
      journal,
      belief,
      ledgerOf: effects.ledgerOf,
    });
    const around = { life, belief, scheduler, effects, random, scriptOf };
    let ids = 0;
    const agent = createAgent({
      provider: simulatedModel(around),
      tools: simulatedTools(around),
      store: view(store),
      lease: { ttlMs: TTL_MS },
      ports: {
        timers: processTimers(clock, life, scheduler),
        ids: { next: () => `${idPrefix}${life.name}-${++ids}` },
        logger: { warn: (message, error) => this.#report(life, `${message}: ${String(error)}`) },
      },
    });
    agent.recover({
      intervalMs: SWEEP_MS,
      onError: (error) => {
        if (!isExpected(error)) this.#report(life, `recover(): ${describe(error)}`);
      },
    });
    return [life, agent];
  }

  #report(life: Life, what: string): void {
    if (!life.isDead) this.parts.journal.violate(`${life.name}: ${what}`);
  }
}

const EXPECTED: ReadonlySet<string> = new Set([
  'LOUSHO_SESSION_BUSY',
  'LOUSHO_SESSION_AWAITING_APPROVAL',
  'LOUSHO_APPROVAL_NOT_FOUND',
  'LOUSHO_APPROVAL_ORPHANED',
]);

/** What a client of a service is told in normal operation. */
export function isExpected(error: unknown): boolean {
  return error instanceof SDKError && EXPECTED.has(error.code);
}

export function describe(error: unknown): string {
  return error instanceof SDKError
    ? `${error.code}: ${error.message}`
    : String((error as Error)?.stack ?? error);
}
