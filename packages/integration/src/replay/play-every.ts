import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BundledStore } from '@lousho/core';
import {
  type CrashStorage,
  exploreCrashes,
  replayModel,
  type VirtualTimers,
  virtualTimers,
} from '@lousho/core/testing';
import { newStorage, openStorage } from '../stores/chosen-storage.js';
import { removeStorage } from '../stores/remove-storage.js';
import type { StoreName } from '../stores/store-names.js';
import type { Conversation } from './conversations.js';
import type { PlayMode } from './options.js';
import { patientAgent } from './patient-agent.js';
import { differencesFrom, type Played, replayAgent, sessionIdOf, turnsOf } from './played.js';

/** Plays a conversation in this process: once undisturbed and, if asked, once for each side of each operation with a crash there. */
export async function playInProcess(
  conversation: Conversation,
  store: StoreName,
  request: {
    readonly as: PlayMode;
    readonly withCrashes: boolean;
    readonly onPoint?: (done: number, total: number) => void;
  },
): Promise<Played> {
  const model = replayModel(conversation.messages);
  let place: Place | undefined;
  // Past every lease and grace of the stores.
  const leasesRunOut = async () => place?.time.advance(60_000);
  const report = await exploreCrashes(
    {
      sessionId: sessionIdOf(conversation),
      turns: turnsOf(model),
      openStorage: async () => {
        place = await openPlace(store);
        return place;
      },
      as: request.as,
      createAgent: (world, agentStore, turn) =>
        patientAgent(replayAgent(model, world, agentStore, { turn }), leasesRunOut),
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
    differences: [...differencesFrom(conversation, request.as, report.messages), ...findings],
    repeatedModelCalls: report.repeatedModelCalls,
    repeatedTools: report.repeatedTools,
  };
}

interface Place extends CrashStorage {
  /** By which its leases run out, where only that frees them. */
  readonly time: VirtualTimers;
}

/** A storage of its own for each exploration, with a client for each process that lives on it. */
async function openPlace(name: StoreName): Promise<Place> {
  const folder = await mkdtemp(join(tmpdir(), 'lousho-replay-'));
  const storage = await newStorage(name, folder);
  const time = virtualTimers();
  const clients: BundledStore[] = [];
  return {
    time,
    openStore: async () => {
      // Memory is gone with its only client, so all processes of a storage share that one.
      const shared = name === 'memory' ? clients[0] : undefined;
      const client = shared ?? openStorage(storage, { clock: time, settles: false });
      clients.push(client);
      return client;
    },
    dispose: async () => {
      await Promise.all(clients.map((client) => client.close()));
      await removeStorage(storage);
      await rm(folder, { recursive: true, force: true });
    },
  };
}
