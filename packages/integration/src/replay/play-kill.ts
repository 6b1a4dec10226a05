import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { type Checkpoint, type CheckpointStore, SDKError } from '@lousho/core';
import { type CrashPoint, CrashWorld, deliverTurns, EffectLedger, replayModel } from '@lousho/core/testing';
import { openChosenStore, type StoreName, withTempFolder } from '../stores/store-choice.js';
import type { Conversation } from './conversations.js';
import { differencesFrom, type Played, replayAgent, sessionIdOf, turnsOf } from './played.js';

/** What a child process is told, as its one argument. */
export interface KillOrder {
  readonly conversation: Conversation;
  readonly store: StoreName;
  readonly folder: string;
  /** `null`: play to the end and print how many operations there were. */
  readonly point: CrashPoint | null;
}

/** Plays a conversation in child processes that end themselves with SIGKILL, and finishes each in this one. */
export async function playKilled(
  conversation: Conversation,
  store: StoreName,
  request: { readonly points: number; readonly onPoint?: (done: number, total: number) => void },
): Promise<Played> {
  const total = await countOperations(conversation, store);
  const points = spread(total, request.points);
  const played: Played[] = [];
  for (const [index, point] of points.entries()) {
    played.push(await withTempFolder((folder) => killAndFinish({ conversation, store, folder, point })));
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
  const store = openChosenStore(order.store, order.folder);
  const ledger = new EffectLedger();
  try {
    const sessionId = sessionIdOf(order.conversation);
    const left = await store.checkpoints.load(sessionId);
    // What the dead process had stored must not be asked for again.
    if (left) ledger.noteStored(left);
    const world = new CrashWorld(ledger);
    const agent = replayAgent(model, world, world.store(store));
    await deliverTurns(agent, store.checkpoints, sessionId, turnsOf(model));
    problems.push(...differencesFrom(order.conversation, await transcript(store.checkpoints, sessionId)));
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

async function transcript(store: CheckpointStore, sessionId: string): Promise<Checkpoint['messages']> {
  return (await store.load(sessionId))?.messages ?? [];
}

async function countOperations(conversation: Conversation, store: StoreName): Promise<number> {
  const { output } = await withTempFolder((folder) => runChild({ conversation, store, folder, point: null }));
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
