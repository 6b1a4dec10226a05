import type { Agent, ExecutionResult } from '@lousho/core';
import { SDKError } from '@lousho/core/contract';
import type { Random } from '../world/random.js';
import type { Journal } from './journal.js';
import { Crashed, type Life } from './life.js';
import { describe, isExpected, type Replica } from './replica.js';
import type { Scheduler } from './scheduler.js';
import { LAST_WORDS } from './script.js';

export interface Society {
  readonly scheduler: Scheduler;
  readonly random: Random;
  readonly journal: Journal;
  readonly life: Life;
  readonly replicas: readonly Replica[];
  /** Whether a session has come to its end. */
  readonly isOver: () => boolean;
}

/** The longest time between two looks, in milliseconds, while there are faults and behind them. */
interface Patience {
  readonly longestMs: number;
  readonly calmMs: number;
}

/** Told of the end, a user need not look often. */
const USER: Patience = { longestMs: 120_000, calmMs: 30_000 };
const DECIDER: Patience = { longestMs: 12_000, calmMs: 4_000 };
const REFUSED: Patience = { longestMs: 60_000, calmMs: 20_000 };
/** How long somebody waits for an answer. */
const SHORTEST_PATIENCE_MS = 5_000;
const LONGEST_PATIENCE_MS = 80_000;

/** Somebody who wants a session finished: sends the request, and after a failure looks what became of it, through any replica. */
export async function userOf(sessionId: string, society: Society, onFinished: () => void): Promise<void> {
  const { scheduler, random, life, journal } = society;
  await scheduler.sleep(life, random.int(3_000));
  let result: ExecutionResult | undefined = await asked(society, (agent) => agent.send('Go', { sessionId }));
  while (!(result?.finishReason === 'stop' && result.text === LAST_WORDS)) {
    const isTold = await pause(society, USER, journal.nextEnd(sessionId));
    result = await asked(society, (agent) =>
      isTold ? agent.send([], { sessionId }) : lookAfter(agent, sessionId),
    );
  }
  journal.told.set(sessionId, result.messages);
  onFinished();
}

/** Goes on with the run, unless somebody is at it; a request that did not arrive is sent once more. */
async function lookAfter(agent: Agent, sessionId: string): Promise<ExecutionResult> {
  try {
    return (await agent.resume(sessionId)) ?? (await agent.send([], { sessionId }));
  } catch (error) {
    if (!isNothingThere(error)) throw error;
    return agent.send('Go', { sessionId });
  }
}

function isNothingThere(error: unknown): boolean {
  return error instanceof SDKError && error.code === 'LOUSHO_CONFIG_MISSING_INPUT';
}

/** Somebody who decides what is asked. Two may decide the same thing at the same time, and not alike. */
export async function decider(society: Society): Promise<void> {
  const { random, journal, isOver } = society;
  while (!isOver()) {
    await journal.somethingIsAsked();
    await pause(society, DECIDER);
    const approvals = await asked(society, (agent) => agent.approvals.list());
    if (!approvals?.length) continue;
    const { id } = random.pick(approvals);
    const people = random.chance(0.2) ? 2 : 1;
    const decisions = Array.from({ length: people }, () => random.chance(0.85));
    const answers = await Promise.all(
      decisions.map((approved) => asked(society, (agent) => agent.approvals.resolve({ id, approved }))),
    );
    // Busy, mostly: whoever runs the session is to end first.
    if (!answers.some(Boolean)) await pause(society, REFUSED);
  }
}

/** What some replica answers; nothing when it refuses, crashes or takes too long, or when none is up. */
async function asked<T>(society: Society, request: (agent: Agent) => Promise<T>): Promise<T | undefined> {
  const { scheduler, random, life, replicas } = society;
  const up = replicas.filter(({ isUp }) => isUp);
  if (up.length === 0) return undefined;
  const replica = random.pick(up);
  let hasAnswer = () => {};
  const isOutOfPatience = new Promise<undefined>((resolve) => {
    const ms = SHORTEST_PATIENCE_MS + random.int(LONGEST_PATIENCE_MS);
    hasAnswer = scheduler.pass(life, () => resolve(undefined), ms);
  });
  // Who has given up asks elsewhere, while the request may still be under way.
  return Promise.race([answered(society, replica, request).finally(hasAnswer), isOutOfPatience]);
}

async function answered<T>(
  { journal }: Society,
  replica: Replica,
  request: (agent: Agent) => Promise<T>,
): Promise<T | undefined> {
  try {
    return await replica.ask(request);
  } catch (error) {
    if (!(error instanceof Crashed) && !isExpected(error)) {
      journal.violate(`${replica.name} answered: ${describe(error)}`);
    }
    return undefined;
  }
}

/** Until the next look; `true` when an event ended the wait before. */
async function pause(
  { scheduler, random, life }: Society,
  { longestMs, calmMs }: Patience,
  event?: Promise<void>,
): Promise<boolean> {
  const ms = 1 + random.int(scheduler.areFaultsOn ? longestMs : calmMs);
  return new Promise((resolve) => {
    const cancel = scheduler.pass(life, () => resolve(false), ms);
    void event?.then(() => {
      cancel();
      resolve(true);
    });
  });
}
