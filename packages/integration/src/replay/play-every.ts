import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BundledStore } from '@lousho/core';
import { type CrashStorage, exploreCrashes, replayModel } from '@lousho/core/testing';
import { openChosenStore, type StoreName } from '../stores/store-choice.js';
import type { Conversation } from './conversations.js';
import { differencesFrom, type Played, replayAgent, sessionIdOf, turnsOf } from './played.js';

/** Plays a conversation in this process: once undisturbed and, if asked, once for each side of each operation with a crash there. */
export async function playInProcess(
  conversation: Conversation,
  store: StoreName,
  request: { readonly withCrashes: boolean; readonly onPoint?: (done: number, total: number) => void },
): Promise<Played> {
  const model = replayModel(conversation.messages);
  const report = await exploreCrashes(
    {
      sessionId: sessionIdOf(conversation),
      turns: turnsOf(model),
      openStorage: () => openStorage(store),
      createAgent: (world, agentStore) => replayAgent(model, world, agentStore),
    },
    {
      ...(!request.withCrashes && { pick: () => false }),
      ...(request.onPoint && { onPoint: request.onPoint }),
    },
  );
  const findings = report.findings.map(({ point, operation, problem }) =>
    point ? `${problem} (died ${point.side} operation ${point.n}, ${operation?.name})` : problem,
  );
  return {
    id: conversation.id,
    crashPoints: report.crashPoints,
    differences: [...differencesFrom(conversation, report.messages), ...findings],
    repeatedModelCalls: report.repeatedModelCalls,
    repeatedTools: report.repeatedTools,
  };
}

/** A storage of its own for each exploration, with a client for each process that lives on it. */
async function openStorage(name: StoreName): Promise<CrashStorage> {
  const folder = await mkdtemp(join(tmpdir(), 'lousho-replay-'));
  const clients: BundledStore[] = [];
  return {
    openStore: async () => {
      // Memory is gone with its only client, so all processes of a storage share that one.
      const shared = name === 'memory' ? clients[0] : undefined;
      const client = shared ?? openChosenStore(name, folder);
      clients.push(client);
      return client;
    },
    dispose: async () => {
      await Promise.all(clients.map((client) => client.close()));
      await rm(folder, { recursive: true, force: true });
    },
  };
}
