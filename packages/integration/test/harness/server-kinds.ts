import { createAgent } from '@lousho/core';
import { mockModel } from '@lousho/core/testing';
import { type ChosenStorage, newStorage, openStorage } from '../../src/stores/chosen-storage.js';
import { afterDeaths } from './after-deaths.js';
import { rawOnServer } from './raw-on-server.js';
import type { FullStore, ServerName, Storage, StoreKind } from './store-kind.js';
import { testClock } from './test-clock.js';

export type ServerStorage = Exclude<ChosenStorage, { store: 'memory' | 'file' | 'sqlite' }>;

/** Each storage has a schema, a table or keys of its own on a server that the whole run of the tests shares. */
export const serverKinds: readonly StoreKind[] = (['postgres', 'redis', 'dynamodb', 'kv'] as const).map(
  serverKind,
);

function serverKind(name: ServerName): StoreKind {
  let spaceOnServer: (() => ServerStorage) | undefined;
  return {
    name,
    prepare: async () => {
      const first = (await newStorage(name, '')) as ServerStorage;
      let spaces = 0;
      spaceOnServer = () => ({ ...first, space: `${first.space}_${++spaces}` });
    },
    storage() {
      if (!spaceOnServer) throw new Error(`Expected the ${name} server to be started first`);
      return storageOn(spaceOnServer());
    },
  };
}

function storageOn(place: ServerStorage): Storage {
  const clock = testClock();
  const clients: FullStore[] = [];
  return {
    kind: place.store,
    clock,
    open: (options = {}) => {
      const client = openStorage(place, { ...options, clock, settles: false }) as FullStore;
      clients.push(client);
      return alreadyTold(afterDeaths(client, clock));
    },
    raw: (sessionId) => rawOnServer(place, sessionId),
    end: async () => {
      await Promise.all(clients.map((client) => client.close()));
    },
  };
}

/** What the store does not guarantee is told once, to its first agent: this one, so that tests hear nothing but what they are about. */
function alreadyTold(store: FullStore): FullStore {
  createAgent({ provider: mockModel([]), store, ports: { logger: { warn: () => undefined } } });
  return store;
}
