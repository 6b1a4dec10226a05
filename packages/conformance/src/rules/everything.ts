import { ID } from '../world/builders.js';
import type { Client } from '../world/client.js';

/** All that can be seen of an id through a client, by the methods that the store has: what a refused call must leave as it was. */
export async function everything({ checkpoints }: Client, sessionId = ID): Promise<Record<string, unknown>> {
  const partial: Partial<Client['checkpoints']> = checkpoints;
  return {
    latest: await checkpoints.load(sessionId),
    history: await partial.history?.(sessionId),
    list: await partial.list?.(),
    pending: await partial.listPending?.(),
    lease: await partial.readLease?.(sessionId),
  };
}
