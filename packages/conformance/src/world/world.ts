import type { Clock } from '@lousho/core/contract';
import type { Claims } from '../model/claims.js';
import type { ConformanceHarness, ConformanceStorage, StorageOptions } from '../model/harness.js';
import { NotRun } from '../model/violation.js';
import { type Client, clientOf } from './client.js';
import { type Elsewhere, startElsewhere } from './elsewhere.js';
import { type Random, seeded } from './random.js';
import { Watchers } from './watchers.js';
import { type WorldClock, worldClock } from './world-clock.js';

/** What a check is given: everything that it makes is its own, and ends with it. */
export interface World extends WorldStorage {
  readonly seed: number;
  readonly random: Random;
  readonly claims: Claims;
  readonly clock: WorldClock;
  /** Moves the time of all storages, after a look. */
  advance(ms: number): Promise<void>;
  /** Lets the clients see what they judge leases by, where that is what they have seen. */
  look(): Promise<void>;
  /** A storage beside the one that `open()` is about. */
  storage(options?: Omit<StorageOptions, 'clock'>): Promise<WorldStorage>;
}

/** A storage of the store under test. */
export interface WorldStorage {
  /** One more client of the storage. */
  open(options?: { readonly clock?: Clock }): Promise<Client>;
  /** A client in a process of its own, on real time. */
  elsewhere(): Promise<Elsewhere>;
  /** Makes a record unreadable. Closes every client first. */
  damage(sessionId: string): Promise<void>;
  /** What `openFromConfig` of the harness's module takes. */
  readonly config: unknown;
}

export interface WorldParts {
  readonly harness: ConformanceHarness;
  readonly claims: Claims;
  readonly seed: number;
}

/** A world and its end. */
export async function createWorld({ harness, claims, seed }: WorldParts): Promise<{
  readonly world: World;
  dispose(): Promise<void>;
}> {
  const clock = worldClock();
  const storages: OpenStorage[] = [];
  const add = async (options: Omit<StorageOptions, 'clock'> = {}) => {
    const storage = new OpenStorage({ harness, claims }, await harness.createStorage({ clock, ...options }));
    storages.push(storage);
    return storage;
  };
  const main = await add();
  const look = async () => void (await Promise.all(storages.map((storage) => storage.look())));
  const world: World = {
    seed,
    random: seeded(seed),
    claims,
    clock,
    config: main.config,
    open: (options) => main.open(options),
    elsewhere: () => main.elsewhere(),
    damage: (sessionId) => main.damage(sessionId),
    storage: add,
    advance: async (ms) => {
      await look();
      await clock.advance(ms);
      for (const storage of storages) await storage.advance(ms);
    },
    look,
  };
  return {
    world,
    dispose: async () => {
      for (const storage of storages) await storage.dispose();
    },
  };
}

class OpenStorage implements WorldStorage {
  readonly #clients: Client[] = [];
  readonly #processes: Elsewhere[] = [];

  /** Where a lease is judged by what a client has seen. */
  readonly #watchers: Watchers | undefined;

  constructor(
    readonly parts: Omit<WorldParts, 'seed'>,
    readonly inner: ConformanceStorage,
  ) {
    const isObserved = parts.claims.clock === 'observed';
    this.#watchers = isObserved ? new Watchers(() => this.#open()) : undefined;
  }

  get config(): unknown {
    return this.inner.config;
  }

  async open(options?: { readonly clock?: Clock }): Promise<Client> {
    if (!this.#watchers) return this.#open(options);
    // One with a clock of its own is one that starts now.
    if (options?.clock) return this.#watchers.add(await this.#open(options));
    return this.#watchers.client();
  }

  async elsewhere(): Promise<Elsewhere> {
    const { module } = this.parts.harness;
    if (module === undefined || this.config === undefined)
      throw new NotRun('no other process can be started');
    const client = await startElsewhere(module, this.config);
    this.#processes.push(client);
    return client;
  }

  async look(): Promise<void> {
    await this.#watchers?.look();
  }

  async advance(ms: number): Promise<void> {
    await this.inner.advance?.(ms);
  }

  async damage(sessionId: string): Promise<void> {
    if (!this.inner.damage) throw new NotRun('the harness cannot damage a record');
    await this.#closeClients();
    await this.inner.damage(sessionId);
  }

  async dispose(): Promise<void> {
    await Promise.all(this.#processes.map((client) => client.kill()));
    await this.#closeClients();
    await this.inner.dispose();
  }

  async #open(options?: { readonly clock?: Clock }): Promise<Client> {
    const client = clientOf(await this.inner.open(options));
    this.#clients.push(client);
    return client;
  }

  async #closeClients(): Promise<void> {
    this.#watchers?.end();
    await Promise.all(this.#clients.map((client) => client.close?.()));
  }
}
