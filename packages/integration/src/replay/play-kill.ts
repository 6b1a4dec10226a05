import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { type BundledStore, type Message, SDKError } from '@lousho/core';
import { type CrashPoint, CrashWorld, EffectLedger, replayModel } from '@lousho/core/testing';
import { type ChosenStorage, newStorage, openStorage } from '../stores/chosen-storage.js';
import { laterClock } from '../stores/later-clock.js';
import { removeStorage } from '../stores/remove-storage.js';
import type { StoreName } from '../stores/store-names.js';
import { withTempFolder } from '../stores/temp-folder.js';
import { untilFree } from '../stores/until-free.js';
import type { Conversation } from './conversations.js';
import { deliver } from './deliver.js';
import type { KillOrder } from './kill-order.js';
import type { PlayMode } from './options.js';
import { differencesFrom, type Played, sessionIdOf } from './played.js';

/** Plays a conversation in child processes that end themselves with SIGKILL, and finishes each in this one. */
export async function playKilled(
  conversation: Conversation,
  store: StoreName,
  request: {
    readonly as: PlayMode;
    readonly points: number;
    readonly onPoint?: (done: number, total: number) => void;
  },
): Promise<Played> {
  const { as } = request;
  const total = await countOperations(store, { conversation, as });
  const points = spread(total, request.points);
  const played: Played[] = [];
  for (const [index, point] of points.entries()) {
    played.push(
      await withNewStorage(store, (storage) => killAndFinish({ conversation, storage, as, point })),
    );
    request.onPoint?.(index + 1, points.length);
  }
  return {
    id: conversation.id,
    crashPoints: points.length,
    differences: played.flatMap((one) => one.differences),
    repeatedModelCalls: played.reduce((sum, one) => sum + one.repeatedModelCalls, 0),
    repeatedTools: played.reduce((sum, one) => sum + one.repeatedTools, 0),
  };
}

/** Points spread evenly over a run of `total` operations, alternating between the two sides. */
function spread(total: number, count: number): CrashPoint[] {
  const points = Math.min(count, total);
  return Array.from({ length: points }, (_, index) => ({
    n: 1 + Math.floor((index * total) / points),
    side: index % 2 === 0 ? 'after' : 'before',
  }));
}

async function killAndFinish(order: KillOrder): Promise<Played> {
  const { signal } = await runChild(order);
  const problems =
    signal === 'SIGKILL' ? [] : [`the child ended with ${signal ?? 'no signal'} instead of SIGKILL`];
  const model = replayModel(order.conversation.messages);
  const store = openStorage(order.storage, await laterClock(order.storage));
  const ledger = new EffectLedger();
  try {
    // What the dead process had stored must not be asked for again.
    for (const { checkpoint } of (await store.checkpoints.list?.()) ?? []) ledger.noteStored(checkpoint);
    const messages = await transcript(order, store);
    ledger.noteStored({ sessionId: sessionIdOf(order.conversation), stepIndex: 0, messages });
    const world = new CrashWorld(ledger);
    await untilFree(() => deliver(order, model, world, store));
    problems.push(...differencesFrom(order.conversation, order.as, await transcript(order, store)));
  } catch (error) {
    problems.push(`the second process failed: ${error instanceof SDKError ? error.detail : String(error)}`);
  } finally {
    await store.close();
  }
  const at = `(killed ${order.point?.side} operation ${order.point?.n})`;
  return {
    id: order.conversation.id,
    crashPoints: 1,
    differences: [...problems, ...ledger.invalidRequests].map((problem) => `${problem} ${at}`),
    repeatedModelCalls: ledger.repeatedModelCalls,
    repeatedTools: ledger.repeatedTools,
  };
}

async function withNewStorage<T>(store: StoreName, work: (storage: ChosenStorage) => Promise<T>): Promise<T> {
  return withTempFolder(async (folder) => {
    const storage = await newStorage(store, folder);
    try {
      return await work(storage);
    } finally {
      await removeStorage(storage);
    }
  });
}

async function transcript(order: KillOrder, store: BundledStore): Promise<readonly Message[]> {
  const sessionId = sessionIdOf(order.conversation);
  const stored =
    order.as === 'session' ? await store.sessions.load(sessionId) : await store.checkpoints.load(sessionId);
  return stored?.messages ?? [];
}

async function countOperations(
  store: StoreName,
  scene: Pick<KillOrder, 'conversation' | 'as'>,
): Promise<number> {
  const { conversation } = scene;
  const { output } = await withNewStorage(store, (storage) => runChild({ ...scene, storage, point: null }));
  const count = Number(output);
  if (!Number.isSafeInteger(count) || count < 1) {
    throw new Error(
      `the child that plays ${conversation.id} said "${output}" instead of a number of operations`,
    );
  }
  return count;
}

async function runChild(order: KillOrder): Promise<{ signal: NodeJS.Signals | null; output: string }> {
  const script = fileURLToPath(new URL('kill-child.js', import.meta.url));
  const child = spawn(process.execPath, [script], { stdio: ['pipe', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  child.stdin.on('error', () => undefined);
  child.stdin.end(JSON.stringify(order));
  const [, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
  return { signal, output };
}
