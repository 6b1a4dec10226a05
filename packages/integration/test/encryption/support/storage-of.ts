import type { ConformanceHarness } from '@lousho/conformance';
import { worldClock } from '@lousho/conformance';
import type { AgentStore, CheckpointStore } from '@lousho/core';
import { onTestFinished } from 'vitest';

/** A store whose parts are there, apart from those that its kind leaves out. */
export type OpenStore = AgentStore & { readonly checkpoints: CheckpointStore };

/** An empty storage of the test's own, and clients on it. */
export async function storageOf(harness: ConformanceHarness): Promise<() => Promise<OpenStore>> {
  const storage = await harness.createStorage({ clock: worldClock() });
  const clients: AgentStore[] = [];
  onTestFinished(async () => {
    await Promise.all(clients.map((client) => client.close?.()));
    await storage.dispose();
  });
  return async () => {
    const client = await storage.open();
    clients.push(client);
    return client as OpenStore;
  };
}
