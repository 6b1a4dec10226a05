import { statusOf } from '@lousho/core';
import type { Child } from '../child.js';
import { startChild } from '../child.js';
import type { ChildIo } from '../child-io.js';
import { type CrashTest, NEEDS_PROCESSES } from '../crash-test.js';
import { exactly, type Figure, told } from '../figure.js';
import { hostNow } from '../host-time.js';
import { type CallOutcome, callOutcome, outcomeWord } from '../resume-outcome.js';
import { emptyFolder } from '../rounds.js';
import { effectsOf, INPUT, newScene, openStore, type Scene, sceneAgent, TOOL_NAMES } from '../scene.js';
import { median } from '../statistics.js';

const ROUNDS = 50;
const PROCESSES = 8;
const DELIVERIES = 64;
/** Between the order and the start, so that all have read it. */
const START_AFTER_MS = 20;

/** One delivery of a webhook that arrives many times at the same moment, at many processes. */
export const webhook: CrashTest = {
  name: 'webhook',
  says: 'a webhook is delivered 64 times at once, spread over many processes, again and again; each delivery sends with ifAbsent',
  roles: { receiver },
  run: async ({ store: name, folder, rounds = ROUNDS, processes = PROCESSES, progress }) => {
    if (name === 'memory') return NEEDS_PROCESSES;
    const shared = emptyFolder(folder, 'shared');
    const scene = await newScene({ test: 'webhook', round: 0, store: name, folder: shared });
    const workers = Array.from({ length: processes }, () =>
      startChild({ test: 'webhook', role: 'receiver', settings: scene }),
    );
    await Promise.all(workers.map((worker) => worker.wait('ready')));
    const deliveries: Delivery[] = [];
    for (let round = 1; round <= rounds; round++) {
      progress(round - 1, rounds);
      deliveries.push(await deliver(scene, workers, round));
    }
    for (const worker of workers) worker.tell('go-home');
    await Promise.all(workers.map((worker) => worker.finished()));
    const finished = await finishedJobs(scene, rounds);
    return { kind: 'measured', figures: judge(deliveries, { processes, finished }) };
  },
};

/** What became of one webhook. */
interface Delivery {
  readonly outcomes: readonly CallOutcome[];
  /** Outside the store: how often each of the three tools took effect, in their order. */
  readonly effects: readonly number[];
  readonly modelCalls: number;
  readonly lastAnswerMs: number;
}

async function deliver(scene: Scene, workers: readonly Child[], round: number): Promise<Delivery> {
  const startAt = hostNow() + START_AFTER_MS;
  workers.forEach((worker, index) => {
    // As evenly as it goes: every process has its share, and all shares are 64 deliveries.
    const share = Math.floor((DELIVERIES + index) / workers.length);
    worker.tell('deliver', { round, startAt, count: share });
  });
  const answers = await Promise.all(workers.map((worker) => worker.wait('answers')));
  const lastAnswerMs = hostNow() - startAt;
  const effects = effectsOf(scene).filter((effect) => effect.sessionId === jobOf(round));
  return {
    outcomes: answers.flatMap((answer) => answer.outcomes as CallOutcome[]),
    effects: TOOL_NAMES.map((name) => effects.filter((effect) => effect.name === name).length),
    modelCalls: effects.filter((effect) => effect.kind === 'model').length,
    lastAnswerMs,
  };
}

async function receiver(io: ChildIo): Promise<void> {
  const scene = io.settings<Scene>();
  const store = openStore(scene);
  io.tell('ready');
  for (;;) {
    const order = await io.told('deliver', 'go-home');
    if (order.kind === 'go-home') break;
    const { round, startAt, count } = order as unknown as { round: number; startAt: number; count: number };
    const agent = sceneAgent({ scene: { ...scene, round }, store });
    await new Promise((resolve) => setTimeout(resolve, startAt - hostNow()));
    const sends = Array.from({ length: count }, () =>
      callOutcome(agent.send(INPUT, { sessionId: jobOf(round), ifAbsent: true })),
    );
    io.tell('answers', { outcomes: await Promise.all(sends) });
  }
  await store.close();
}

async function finishedJobs(scene: Scene, rounds: number): Promise<number> {
  const store = openStore(scene);
  let finished = 0;
  for (let round = 1; round <= rounds; round++) {
    const stored = await store.checkpoints.load(jobOf(round));
    const users = stored?.messages.filter(({ role }) => role === 'user').length;
    if (stored && statusOf(stored) === 'finished' && users === 1) finished += 1;
  }
  await store.close();
  return finished;
}

function jobOf(round: number): string {
  return `job-delivery-${round}`;
}

function judge(
  deliveries: readonly Delivery[],
  { processes, finished }: { readonly processes: number; readonly finished: number },
): Figure[] {
  const all = deliveries.length;
  const outcomes = deliveries.flatMap((delivery) => delivery.outcomes);
  const count = (kind: CallOutcome['kind']) => outcomes.filter((outcome) => outcome.kind === kind).length;
  const others = outcomes.filter(({ kind }) => kind !== 'finished' && kind !== 'busy').map(outcomeWord);
  return [
    told('webhooks (rounds)', all),
    told('processes', processes),
    exactly('deliveries', outcomes.length, all * DELIVERIES),
    exactly(
      'effects of a job, by step',
      variants(deliveries.map(({ effects }) => effects.join(' '))),
      '1 1 1',
    ),
    exactly('model calls of a job', variants(deliveries.map(({ modelCalls }) => String(modelCalls))), '4'),
    exactly('jobs finished, with their input once', finished, all),
    exactly('webhooks that nobody answered with the result', deliveries.filter(isUnanswered).length, 0),
    told('deliveries with the result, LOUSHO_SESSION_BUSY', `${count('finished')}, ${count('busy')}`),
    exactly('other answers', [...new Set(others)].join(', ') || 'none', 'none'),
    told(
      'last answer after the start (median)',
      median(deliveries.map(({ lastAnswerMs }) => lastAnswerMs)),
      'ms',
    ),
  ];
}

function isUnanswered({ outcomes }: Delivery): boolean {
  return outcomes.every((outcome) => outcome.kind !== 'finished');
}

/** The values that occurred in any round. */
function variants(values: readonly string[]): string {
  return [...new Set(values)].join(', ');
}
