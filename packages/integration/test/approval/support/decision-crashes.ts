import { type Agent, type AgentStore, createAgent, SDKError, systemTimers } from '@lousho/core';
import type { ApprovalDecision, Message } from '@lousho/core/contract';
import {
  type CrashPoint,
  CrashWorld,
  EffectLedger,
  type Operation,
  transcriptFaults,
} from '@lousho/core/testing';
import type { NewStorage } from '../../harness/on-stores.js';
import type { FullStore } from '../../harness/store-kind.js';
import { together } from '../../harness/together.js';
import { resultOf } from './results.js';
import { countingTool, scriptedModel, type Turn } from './workshop.js';

export type Verdict = 'approve' | 'reject' | 'late';

export interface DecisionScenario {
  readonly turns: readonly Turn[];
  readonly open?: readonly string[];
  readonly gated: readonly string[];
  /** Run at most once without asking anybody. */
  readonly once?: readonly string[];
  /** In the order in which people decide; the call ids are unique in a scenario. */
  readonly verdicts: readonly (readonly [callId: string, verdict: Verdict])[];
  /** All that are listed are decided at the same time; a call that has two verdicts, by two people. */
  readonly isAtOnce?: boolean;
}

export interface DecisionReport {
  readonly operations: readonly Operation[];
  readonly explored: number;
  readonly problems: readonly string[];
}

const SESSION_ID = 'order-7';
const TTL_MS = 3_600_000;

/**
 * Plays a scenario, counts its store, model and tool calls, and lets the process die before and after each of them; then fresh
 * processes go on as an operator would: they finish what is pending and decide what is still listed. `second` lets the process that
 * recovers die as well.
 */
export async function exploreDecisionCrashes(
  scenario: DecisionScenario,
  newStorage: NewStorage,
  options: { readonly every?: number; readonly second?: (index: number) => CrashPoint | undefined } = {},
): Promise<DecisionReport> {
  const undisturbed = await play(scenario, newStorage, []);
  const points = undisturbed.operations
    .flatMap((_, index): CrashPoint[] => [
      { n: index + 1, side: 'before' },
      { n: index + 1, side: 'after' },
    ])
    .filter((_, index) => index % (options.every ?? 1) === 0);
  const problems = [...undisturbed.problems];
  for (const [index, point] of points.entries()) {
    const second = options.second?.(index);
    const life = await play(scenario, newStorage, second ? [point, second] : [point]);
    const { name } = undisturbed.operations[point.n - 1] as Operation;
    const at = `died ${point.side} ${point.n} ${name}${second ? `, then ${second.side} ${second.n}` : ''}`;
    problems.push(...life.problems.map((problem) => `${problem} (${at})`));
  }
  return { operations: undisturbed.operations, explored: points.length, problems };
}

/** What happened outside of the processes, whoever of them is alive. */
class Notes {
  readonly effects: string[] = [];
  readonly ledger = new EffectLedger();
  /** Approvals that were saved, by call. */
  readonly asked = new Map<string, string[]>();
  /** What the store says was decided, by call. */
  readonly decided = new Map<string, ApprovalDecision[]>();
  /** Decisions whose `resolve()` came back, by call. */
  readonly returned = new Map<string, boolean[]>();
  readonly problems: string[] = [];
  lateBy = 0;
}

async function play(
  scenario: DecisionScenario,
  newStorage: NewStorage,
  crashes: readonly CrashPoint[],
): Promise<{ operations: readonly Operation[]; problems: readonly string[] }> {
  const storage = newStorage();
  const notes = new Notes();
  const worlds = [...crashes, undefined].map((crashAt) => new CrashWorld(notes.ledger, crashAt));
  for (const world of worlds) {
    const store = storage.open();
    const agent = agentOf(scenario, world, world.store(watched(store, notes)), notes);
    try {
      await operate(scenario, agent, store, notes);
    } catch (error) {
      const detail = error instanceof SDKError ? `${error.code} ${error.detail}` : String(error);
      if (!world.hasCrashed) notes.problems.push(`a living process failed: ${detail}`);
    }
    if (!world.hasCrashed) break;
  }
  await check(scenario, storage.open(), notes, crashes.length);
  return { operations: worlds[0]?.operations ?? [], problems: notes.problems };
}

function agentOf(scenario: DecisionScenario, world: CrashWorld, store: AgentStore, notes: Notes): Agent {
  const { open = [], gated, once = [] } = scenario;
  const { effects } = notes;
  const tools = [
    ...open.map((name) => countingTool({ name, effects })),
    ...once.map((name) => countingTool({ name, effects, rerun: 'never' })),
    ...gated.map((name) => countingTool({ name, effects, needsApproval: true })),
  ];
  return createAgent({
    provider: world.provider(scriptedModel(scenario.turns)),
    tools: world.tools(tools),
    store,
    approvalTtlMs: TTL_MS,
    ports: {
      logger: { warn: () => undefined },
      timers: { ...systemTimers, now: () => systemTimers.now() + notes.lateBy },
    },
  });
}

/** Notes what the approval store has acknowledged. */
function watched(store: FullStore, notes: Notes): AgentStore {
  const { approvals, checkpoints } = store;
  return {
    checkpoints,
    approvals: {
      save: async (approval, snapshot) => {
        await approvals.save(approval, snapshot);
        append(notes.asked, approval.toolCallId, approval.id);
        if (notes.decided.has(approval.toolCallId))
          notes.problems.push(`${approval.toolCallId} was asked for after it had been decided`);
      },
      decide: async (id, decision) => {
        const record = await approvals.load(id);
        const answer = await approvals.decide(id, decision);
        if (answer === 'decided') append(notes.decided, record?.approval.toolCallId ?? '', decision);
        return answer;
      },
      load: (id) => approvals.load(id),
      list: () => approvals.list(),
      delete: (id) => approvals.delete(id),
    },
  };
}

/** Everything that an operator does until the run has finished; knows nothing but the store and the plan. */
async function operate(
  scenario: DecisionScenario,
  agent: Agent,
  inner: FullStore,
  notes: Notes,
): Promise<void> {
  for (let look = 0; look < 20; look++) {
    const run = (await agent.pending()).find(({ sessionId }) => sessionId === SESSION_ID);
    if (!run) {
      const stored = await inner.checkpoints.load(SESSION_ID);
      if (stored) return;
      await agent.send('Go', { sessionId: SESSION_ID });
    } else if (run.status === 'in-progress') await agent.resume(SESSION_ID);
    else await decideListed(scenario, agent, inner, notes);
  }
  notes.problems.push('the run did not finish');
}

async function decideListed(
  { verdicts, isAtOnce = false }: DecisionScenario,
  agent: Agent,
  inner: FullStore,
  notes: Notes,
): Promise<void> {
  const listed = await agent.approvals.list();
  const { approvalIds = [] } = (await inner.checkpoints.load(SESSION_ID)) ?? {};
  const stale = listed.filter(({ id }) => !approvalIds.includes(id));
  if (stale.length > 0)
    notes.problems.push(`${stale.length} approvals are listed that the pause does not wait on`);
  // Nothing to decide: whoever decided died before the run could go on.
  if (listed.length === 0) return void (await agent.resume(SESSION_ID));

  const due = verdicts.flatMap(([callId, verdict]) => {
    const id = listed.find(({ toolCallId }) => toolCallId === callId)?.id;
    return id === undefined ? [] : [{ callId, verdict, id }];
  });
  const decide = async ({ callId, verdict, id }: (typeof due)[number]) => {
    if (verdict === 'late') notes.lateBy += TTL_MS;
    const approved = verdict !== 'reject';
    await agent.approvals.resolve({ id, approved });
    append(notes.returned, callId, approved);
  };
  if (!isAtOnce) return decide(due[0] as (typeof due)[number]);
  const decisions = due.map((each) => () => Promise.allSettled([decide(each)]));
  const outcomes = (await together(inner, decisions)).flat();
  for (const outcome of outcomes) {
    if (outcome.status === 'rejected' && !isOutrun(outcome.reason)) throw outcome.reason;
  }
}

/** What one hears who was not the first to decide. */
function isOutrun(error: unknown): boolean {
  return (
    error instanceof SDKError &&
    (error.code === 'LOUSHO_SESSION_BUSY' || error.detail.includes('was already decided'))
  );
}

/** The six guarantees, and that nobody is asked in vain. */
async function check(
  scenario: DecisionScenario,
  store: FullStore,
  notes: Notes,
  crashes: number,
): Promise<void> {
  const { problems, ledger, effects } = notes;
  const stored = await store.checkpoints.load(SESSION_ID);
  const messages: readonly Message[] = stored?.messages ?? [];
  if (stored?.status !== 'finished') problems.push(`the run is ${stored?.status}`);
  problems.push(...transcriptFaults(messages), ...ledger.invalidRequests);
  if (shape(messages) !== wantedShape(scenario)) problems.push(`results out of order: ${shape(messages)}`);
  if (ledger.repeatedModelCalls > 0) problems.push('a recorded model turn was asked for again');
  if (ledger.repeatedTools > 0) problems.push('a recorded result was computed again');
  if ((await store.approvals.list()).length > 0) problems.push('approvals are left in the list');

  for (const callId of [...scenario.gated, ...(scenario.once ?? [])]) {
    const ran = effects.filter((id) => id === callId).length;
    if (ran > 1) problems.push(`${callId} ran ${ran} times`);
  }
  for (const callId of scenario.gated) {
    const decisions = notes.decided.get(callId) ?? [];
    const asked = notes.asked.get(callId) ?? [];
    if (decisions.length !== 1) problems.push(`${callId} was decided ${decisions.length} times`);
    if (asked.length > 1 + crashes) problems.push(`${callId} was asked for ${asked.length} times`);
    const [decision] = decisions;
    const returned = notes.returned.get(callId) ?? [];
    if (returned.length > 1) problems.push(`${returned.length} decisions about ${callId} succeeded`);
    if (decision && returned.some((approved) => approved !== decision.approved && !decision.isExpired))
      problems.push(`the decision about ${callId} that came back is not the one that counts`);
    problems.push(...unplanned(scenario, callId, decision));
    if (decision) problems.push(...unreflected(callId, decision, messages, effects, crashes > 0));
  }
}

/** What counts is what the person who was asked wanted; where two were asked, either. */
function unplanned({ verdicts }: DecisionScenario, callId: string, decision?: ApprovalDecision): string[] {
  const planned = verdicts.filter(([of]) => of === callId).map(([, verdict]) => verdict);
  const isWanted = planned.some((verdict) =>
    verdict === 'late' ? decision?.isExpired : decision?.approved === (verdict === 'approve'),
  );
  return isWanted ? [] : [`${callId}: decided ${JSON.stringify(decision)}, planned ${planned.join(' or ')}`];
}

function unreflected(
  callId: string,
  decision: ApprovalDecision,
  messages: readonly Message[],
  effects: readonly string[],
  hasCrashed: boolean,
): string[] {
  const result = resultOf(messages, callId) as { kind?: string } | string | undefined;
  const kind = typeof result === 'string' ? 'done' : result?.kind;
  const ran = effects.includes(callId);
  const wanted = decision.approved
    ? ['done', ...(hasCrashed ? ['interrupted'] : [])]
    : [decision.isExpired ? 'denied' : 'rejected'];
  return [
    ...(wanted.includes(kind ?? '') ? [] : [`${callId}: wanted ${wanted.join(' or ')}, got ${kind}`]),
    ...(ran && !decision.approved ? [`${callId} ran although it was refused`] : []),
    ...(kind === 'done' && !ran ? [`${callId} has a result and never ran`] : []),
  ];
}

function shape(messages: readonly Message[]): string {
  return messages.map(({ role, toolCallId }) => (role === 'tool' ? toolCallId : role)).join(' ');
}

function wantedShape({ turns }: DecisionScenario): string {
  const turnsShape = turns.map((turn) =>
    Array.isArray(turn) ? ['assistant', ...turn.map(({ id }) => id)].join(' ') : 'assistant',
  );
  return ['user', ...turnsShape].join(' ');
}

function append<T>(map: Map<string, T[]>, key: string, value: T): void {
  map.set(key, [...(map.get(key) ?? []), value]);
}
