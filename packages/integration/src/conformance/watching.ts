import type { AgentStore, CheckpointStore } from '@lousho/core/contract';

const CHANGES_A_LEASE: ReadonlySet<PropertyKey> = new Set(['acquireLease', 'renewLease', 'renewLeases']);

/**
 * A client whose clock is `observed` judges a lease by how long it has itself watched it unchanged. Each granted or renewed lease is
 * looked at by all clients of the storage at once, as by replicas that ask for the id again and again, so that all judge it alike.
 */
export function watching<S extends AgentStore>(client: S, clients: Set<AgentStore>): AgentStore {
  clients.add(client);
  const look = async (sessionId: string) => {
    // A client that is closed watches no more.
    await Promise.allSettled([...clients].map((one) => one.checkpoints?.readLease?.(sessionId)));
  };
  const checkpoints = boundTo(client.checkpoints as CheckpointStore, (name, method) =>
    CHANGES_A_LEASE.has(name)
      ? async (...args: readonly unknown[]) => {
          const answer: unknown = await method(...args);
          const [first] = args;
          const ids = Array.isArray(first)
            ? first.map(({ sessionId }) => sessionId as string)
            : [first as string];
          if (answer !== false) await Promise.all(ids.map(look));
          return answer;
        }
      : method,
  );
  return new Proxy(client, {
    get: (target, name) => (name === 'checkpoints' ? checkpoints : ownOf(target, name)),
  });
}

type Method = (...args: readonly unknown[]) => unknown;

function boundTo<T extends object>(target: T, wrap: (name: PropertyKey, method: Method) => Method): T {
  return new Proxy(target, {
    get: (of, name) => {
      const value = ownOf(of, name);
      return typeof value === 'function' ? wrap(name, value as Method) : value;
    },
  });
}

/** Private fields are found on the object itself only. */
function ownOf(target: object, name: PropertyKey): unknown {
  const value: unknown = Reflect.get(target, name);
  return typeof value === 'function' ? value.bind(target) : value;
}
