import { type Agent, type AgentStore, type LLMProvider, SDKError } from '@lousho/core';
import type { RunUsage } from '@lousho/core/contract';
import {
  type CrashPoint,
  CrashWorld,
  EffectLedger,
  type Operation,
  transcriptFaults,
} from '@lousho/core/testing';
import type { NewStorage } from '../../harness/on-stores.js';
import type { FullStore, Storage } from '../../harness/store-kind.js';
import { type TeamOptions, team } from './team.js';

export interface TeamScenario
  extends Pick<TeamOptions, 'turns' | 'members' | 'open' | 'gated' | 'maxSubagentDepth'> {
  /** What people say when they are asked about a tool's call; default: yes. */
  readonly rejects?: readonly string[];
  /** Tools whose calls run at most once. */
  readonly atMostOnce?: readonly string[];
  /** Of calls that run at the same time, nobody outside can say which of them a save has told of. */
  readonly isParallel?: boolean;
  /** Sub-agents that no crash makes start over: none of their saved answers is ever asked for again. */
  readonly goOnInPlace?: readonly string[];
}

export interface TeamReport {
  readonly operations: readonly Operation[];
  readonly explored: number;
  readonly problems: readonly string[];
}

const SESSION_ID = 'order-7';
const DAY_MS = 86_400_000;

/**
 * Plays a scenario, lets the process die before and after each of its store, model and tool calls, and lets fresh processes go on as an
 * operator would: a year later, the store pruned, or at once where a second one dies. Nothing but the store, the plan and a ledger of what happened outside is known to the judge.
 */
export async function exploreTeamCrashes(
  scenario: TeamScenario,
  newStorage: NewStorage,
  options: { readonly every?: number; readonly second?: (index: number) => CrashPoint } = {},
): Promise<TeamReport> {
  const undisturbed = await play(scenario, newStorage, [], undefined);
  const points = undisturbed.operations
    .flatMap((_, index): CrashPoint[] => [
      { n: index + 1, side: 'before' },
      { n: index + 1, side: 'after' },
    ])
    .filter((_, index) => index % (options.every ?? 1) === 0);
  const problems = [...undisturbed.problems];
  for (const [index, point] of points.entries()) {
    const second = options.second?.(index);
    const life = await play(scenario, newStorage, second ? [point, second] : [point], undisturbed.outside);
    const { name } = undisturbed.operations[point.n - 1] as Operation;
    const at = `died ${point.side} ${point.n} ${name}${second ? `, then ${second.side} ${second.n}` : ''}`;
    problems.push(...life.problems.map((problem) => `${problem} (${at})`));
  }
  return { operations: undisturbed.operations, explored: points.length, problems };
}

/** What happened outside of the processes, whoever of them is alive. */
class Outside {
  readonly effects: string[] = [];
  readonly problems: string[] = [];
  /** Model calls by agent: answered, and answered by an answer that the store knows of. */
  readonly answered = new Map<string, number>();
  readonly saved = new Map<string, number>();
  /** Answers of the living process that are not known to the store yet. */
  readonly unsaved: string[] = [];
  readonly decided = new Map<string, number>();
}

async function play(
  scenario: TeamScenario,
  newStorage: NewStorage,
  crashes: readonly CrashPoint[],
  undisturbed: Outside | undefined,
) {
  const storage = newStorage();
  const outside = new Outside();
  const ledger = new EffectLedger();
  const worlds = [...crashes, undefined].map((crashAt) => new CrashWorld(ledger, crashAt));
  for (const world of worlds) {
    const store = storage.open();
    outside.unsaved.length = 0;
    const agent = leadOf(scenario, world, world.store(watched(store, outside)), outside);
    try {
      await operate(scenario, agent, store, outside);
    } catch (error) {
      const detail = error instanceof SDKError ? `${error.code} ${error.detail}` : String(error);
      if (!world.hasCrashed) outside.problems.push(`a living process failed: ${detail}`);
    }
    if (!world.hasCrashed) break;
    if (crashes.length === 1) await sleepLongAndPrune(storage);
  }
  await judge(scenario, storage.open(), outside, { hasCrashed: crashes.length > 0, undisturbed });
  return { operations: worlds[0]?.operations ?? [], problems: outside.problems, outside };
}

/** Nobody looks after the unfinished run for a year, and all that nobody needs is removed meanwhile. */
async function sleepLongAndPrune(storage: Storage): Promise<void> {
  const store = storage.open();
  const lead = await store.checkpoints.load(SESSION_ID);
  if (lead?.status === 'finished') return;
  storage.clock.advance(365 * DAY_MS);
  await store.prune({ olderThanMs: DAY_MS });
}

function leadOf(scenario: TeamScenario, world: CrashWorld, store: AgentStore, outside: Outside): Agent {
  const { turns, members, open, gated, maxSubagentDepth, isParallel = false } = scenario;
  return team({
    turns,
    members,
    store,
    effects: outside.effects,
    toolConcurrency: isParallel ? 'unbounded' : 1,
    ...(open && { open }),
    ...(gated && { gated }),
    ...(maxSubagentDepth && { maxSubagentDepth }),
    world: {
      provider: (provider, name) => counted(world.provider(provider), name, outside),
      tools: (tools) => world.tools(tools),
    },
  }).lead;
}

function counted(provider: LLMProvider, name: string, outside: Outside): LLMProvider {
  return {
    ...provider,
    generate: async (request) => {
      outside.problems.push(...transcriptFaults(request.messages));
      const response = await provider.generate(request);
      add(outside.answered, name);
      outside.unsaved.push(name);
      return response;
    },
  };
}

/** Notes what the store has acknowledged: a save tells of every answer that its process had by then. */
function watched(store: FullStore, outside: Outside): AgentStore {
  const { checkpoints, approvals } = store;
  return {
    checkpoints: new Proxy(checkpoints, {
      get: (target, key) => {
        const value: unknown = Reflect.get(target, key, target);
        if (typeof value !== 'function') return value;
        return async (...args: unknown[]) => {
          const answer: unknown = await Reflect.apply(value, target, args);
          if (key === 'saveIfLeased' && answer === true)
            for (const name of outside.unsaved.splice(0)) add(outside.saved, name);
          return answer;
        };
      },
    }),
    approvals: new Proxy(approvals, {
      get: (target, key) => {
        const value: unknown = Reflect.get(target, key, target);
        if (typeof value !== 'function') return value;
        return async (...args: unknown[]) => {
          const answer: unknown = await Reflect.apply(value, target, args);
          if (key === 'decide' && answer === 'decided')
            add(outside.decided, await toolOf(store, args[0] as string));
          return answer;
        };
      },
    }),
  };
}

async function toolOf({ approvals }: FullStore, id: string): Promise<string> {
  return (await approvals.load(id))?.approval.toolName ?? '';
}

/** Everything that an operator does until the run has finished. */
async function operate(
  { rejects = [] }: TeamScenario,
  agent: Agent,
  inner: FullStore,
  outside: Outside,
): Promise<void> {
  for (let look = 0; look < 30; look++) {
    const pending = await agent.pending();
    if (pending.some(({ sessionId }) => sessionId !== SESSION_ID))
      outside.problems.push('a record of a sub-agent is listed as pending');
    const run = pending.find(({ sessionId }) => sessionId === SESSION_ID);
    if (!run) {
      if (await inner.checkpoints.load(SESSION_ID)) return;
      await agent.send('Go', { sessionId: SESSION_ID });
    } else if (run.status === 'in-progress') await agent.resume(SESSION_ID);
    else {
      const [first] = await agent.approvals.list();
      if (first) await agent.approvals.resolve({ id: first.id, approved: !rejects.includes(first.toolName) });
      else await agent.resume(SESSION_ID);
    }
  }
  outside.problems.push('the run did not finish');
}

async function judge(
  scenario: TeamScenario,
  store: FullStore,
  outside: Outside,
  { hasCrashed, undisturbed }: { readonly hasCrashed: boolean; readonly undisturbed: Outside | undefined },
): Promise<void> {
  const { problems, effects, saved } = outside;
  const stored = await store.checkpoints.load(SESSION_ID);
  if (stored?.status !== 'finished') problems.push(`the run is ${stored?.status}`);
  problems.push(...transcriptFaults(stored?.messages ?? []));
  if ((await store.approvals.list()).length > 0) problems.push('approvals are left in the list');
  for (const tool of scenario.atMostOnce ?? []) {
    const ran = effects.filter((id) => id === tool).length;
    if (ran > 1 || (ran === 0 && !hasCrashed)) problems.push(`${tool} ran ${ran} times`);
    if ((outside.decided.get(tool) ?? 0) > 1) problems.push(`${tool} was decided twice`);
  }
  for (const tool of scenario.rejects ?? []) if (effects.includes(tool)) problems.push(`${tool} ran`);
  if (!scenario.isParallel || !hasCrashed) problems.push(...misjudgedUsage(stored?.usage, saved));
  else problems.push(...impossibleUsage(stored?.usage, outside));
  if (stored && ('delegatedInFlight' in stored || 'subagents' in stored))
    problems.push('something of the sub-agents is left on the record');
  for (const name of ['lead', ...(scenario.goOnInPlace ?? [])]) {
    const [now, then] = [saved.get(name), undisturbed?.saved.get(name)];
    if (undisturbed && !scenario.isParallel && now !== then)
      problems.push(`${name}: ${now} saved answers, ${then} undisturbed`);
  }
  const others = (await store.checkpoints.list()).filter(({ sessionId }) => sessionId !== SESSION_ID);
  problems.push(...others.map(({ sessionId, status }) => `${sessionId} is left behind, ${status}`));
}

/** Exactly what the store knows to have been answered: 100 and 10 tokens each. */
function misjudgedUsage(usage: RunUsage | undefined, saved: ReadonlyMap<string, number>): string[] {
  const all = total(saved);
  const delegated = all - (saved.get('lead') ?? 0);
  const told = [
    usage?.modelCalls,
    usage?.inputTokens,
    usage?.outputTokens,
    usage?.delegated?.modelCalls ?? 0,
  ];
  const wanted = [all, 100 * all, 10 * all, delegated];
  return told.join() === wanted.join() ? [] : [`the usage says ${told}, the model served ${wanted}`];
}

/** At most what was answered, and at least what was saved but for the answers of calls beside each other. */
function impossibleUsage(usage: RunUsage | undefined, { answered, saved }: Outside): string[] {
  const [most, least] = [total(answered), total(saved) - saved.size];
  const told = usage?.modelCalls ?? 0;
  return told >= least && told <= most
    ? []
    : [`the usage says ${told}, from ${least} to ${most} were served`];
}

function total(counts: ReadonlyMap<string, number>): number {
  return [...counts.values()].reduce((a, b) => a + b, 0);
}

function add(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}
