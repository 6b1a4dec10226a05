import type { Client } from './client.js';

/** Clients that have watched before a check needs them: one that comes later has seen nothing yet. */
const SPARE = 2;

/**
 * With `clock: 'observed'` a client judges a lease by how long it has itself seen it unchanged. Here every client looks at each lease
 * that was granted or renewed before time moves on, as replicas do that ask for an id again and again, so that all judge it alike.
 */
export class Watchers {
  readonly #clients = new Set<Client>();
  readonly #changed = new Set<string>();
  #spare: Client[] | undefined;

  constructor(readonly open: () => Promise<Client>) {}

  /** A client that has watched since the first lease, as long as there is one. */
  async client(): Promise<Client> {
    return this.#spare?.shift() ?? this.add(await this.open());
  }

  /** A client that watches from now on. */
  add(client: Client): Client {
    const watched = { ...client, checkpoints: this.#noting(client.checkpoints) };
    this.#clients.add(watched);
    return watched;
  }

  /** To be called before time moves. */
  async look(): Promise<void> {
    if (this.#changed.size === 0) return;
    const ids = [...this.#changed];
    this.#changed.clear();
    this.#spare ??= await Promise.all(Array.from({ length: SPARE }, async () => this.add(await this.open())));
    const looks = [...this.#clients].flatMap(({ checkpoints }) => ids.map((id) => checkpoints.readLease(id)));
    // A client that was closed watches no more.
    await Promise.allSettled(looks);
  }

  /** The clients are closed: whoever comes next has seen nothing. */
  end(): void {
    this.#clients.clear();
    this.#spare = undefined;
  }

  #noting(checkpoints: Client['checkpoints']): Client['checkpoints'] {
    return new Proxy(checkpoints, {
      get: (target, name) => {
        const found: unknown = Reflect.get(target, name, target);
        if (typeof found !== 'function') return found;
        if (!LEASING.has(name)) return found.bind(target);
        return async (...args: readonly unknown[]) => {
          const answer: unknown = await Reflect.apply(found, target, args);
          for (const id of idsOf(args[0])) this.#changed.add(id);
          return answer;
        };
      },
    });
  }
}

const LEASING: ReadonlySet<PropertyKey> = new Set(['acquireLease', 'renewLease', 'renewLeases']);

/** Of one id, or of a list of leases. */
function idsOf(first: unknown): readonly string[] {
  if (!Array.isArray(first)) return [first as string];
  return first.map(({ sessionId }: { readonly sessionId: string }) => sessionId);
}
