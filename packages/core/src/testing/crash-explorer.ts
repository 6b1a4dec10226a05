import type { Agent } from '../agent/agent.js';
import {
  type AgentStore,
  type CheckpointStore,
  ConfigurationError,
  encode,
  type Message,
} from '../contract/index.js';
import { transcriptFaults } from './check-transcript.js';
import { type CrashPoint, CrashWorld, type Operation } from './crash-world.js';
import { deliverSessionTurns, deliverTurns, type ScenarioTurn } from './deliver-turns.js';
import { EffectLedger } from './effect-ledger.js';

export interface CrashScenario {
  /** Of the run; or of the session, where each turn is a turn of `agent.session()`. */
  readonly sessionId: string;
  /** Default `'run'`: each turn is one `agent.send()` under the id. */
  readonly as?: 'run' | 'session';
  readonly turns: readonly ScenarioTurn[];
  /** Opens an empty storage of its own for each exploration, and closes it. */
  openStorage(): Promise<CrashStorage>;
  /**
   * A fresh agent, as a process makes it when it starts. Everything that it is given must go through `world`. As a session, one is made
   * for each turn.
   */
  createAgent(world: CrashWorld, store: AgentStore, turn?: ScenarioTurn): Agent;
}

/** One storage, and the clients that processes open on it. */
export interface CrashStorage {
  openStore(): Promise<AgentStore>;
  dispose(): Promise<void>;
}

/** One thing that was not as promised, and where. */
export interface CrashFinding {
  readonly point: CrashPoint | null;
  readonly operation: Operation | null;
  readonly problem: string;
}

export interface CrashReport {
  /** The operations of the undisturbed run. */
  readonly operations: readonly Operation[];
  readonly crashPoints: number;
  readonly findings: readonly CrashFinding[];
  readonly repeatedModelCalls: number;
  readonly repeatedTools: number;
  /** The transcript that every exploration must end with. */
  readonly messages: readonly Message[];
}

export interface ExploreOptions {
  /** Which of all points to try; default all. */
  readonly pick?: (point: CrashPoint) => boolean;
  readonly onPoint?: (done: number, total: number) => void;
}

/**
 * Runs a scenario once and counts its store, model and tool calls; then, for each of them, lets the process die right before and right
 * after it, and lets a fresh agent on the same storage go on. Checked every time: the final transcript equals the undisturbed one,
 * is valid for the providers, no stored model answer was asked for again, no stored tool result was computed again.
 */
export async function exploreCrashes(
  scenario: CrashScenario,
  options: ExploreOptions = {},
): Promise<CrashReport> {
  const undisturbed = await live(scenario, null);
  const points = undisturbed.operations
    .flatMap((_, index): CrashPoint[] => [
      { n: index + 1, side: 'before' },
      { n: index + 1, side: 'after' },
    ])
    .filter(options.pick ?? (() => true));
  const findings = [...undisturbed.findings];
  let { repeatedModelCalls, repeatedTools } = undisturbed.ledger;
  for (const [index, point] of points.entries()) {
    const life = await live(scenario, point, undisturbed.messages);
    findings.push(...life.findings);
    repeatedModelCalls += life.ledger.repeatedModelCalls;
    repeatedTools += life.ledger.repeatedTools;
    options.onPoint?.(index + 1, points.length);
  }
  return {
    operations: undisturbed.operations,
    crashPoints: points.length,
    findings,
    repeatedModelCalls,
    repeatedTools,
    messages: undisturbed.messages,
  };
}

interface Life {
  readonly operations: readonly Operation[];
  readonly ledger: EffectLedger;
  readonly messages: readonly Message[];
  readonly findings: readonly CrashFinding[];
}

/** A storage's whole life: a first process, which may die, and if it did, a second one. */
async function live(
  scenario: CrashScenario,
  crashAt: CrashPoint | null,
  wanted?: readonly Message[],
): Promise<Life> {
  const storage = await scenario.openStorage();
  const ledger = new EffectLedger();
  try {
    const first = new CrashWorld(ledger, crashAt ?? undefined);
    const problems: string[] = [];
    await runProcess(scenario, storage, first).catch((error: unknown) => {
      if (!first.hasCrashed) throw error;
    });
    if (crashAt && !first.hasCrashed) problems.push('the operation to die at did not come');
    if (first.hasCrashed) {
      await runProcess(scenario, storage, new CrashWorld(ledger)).catch((error: unknown) => {
        problems.push(`the second process failed: ${error instanceof Error ? error.message : String(error)}`);
      });
    }
    const messages = await storedMessages(scenario, storage);
    problems.push(...transcriptFaults(messages), ...ledger.invalidRequests);
    if (wanted && encode(messages) !== encode(wanted)) problems.push('the final transcript differs');
    const operation = crashAt ? (first.operations[crashAt.n - 1] ?? null) : null;
    const findings = problems.map((problem) => ({ point: crashAt, operation, problem }));
    return { operations: first.operations, ledger, messages, findings };
  } finally {
    await storage.dispose();
  }
}

async function runProcess(scenario: CrashScenario, storage: CrashStorage, world: CrashWorld): Promise<void> {
  const store = await storage.openStore();
  const { sessionId, turns } = scenario;
  if (scenario.as === 'session') {
    const counted = world.store(store);
    await deliverSessionTurns(sessionId, turns, (turn) => scenario.createAgent(world, counted, turn));
    return;
  }
  const agent = scenario.createAgent(world, world.store(store));
  await deliverTurns(agent, checkpointsOf(store), sessionId, turns);
}

async function storedMessages(scenario: CrashScenario, storage: CrashStorage): Promise<readonly Message[]> {
  const store = await storage.openStore();
  const { sessionId } = scenario;
  const stored =
    scenario.as === 'session'
      ? await store.sessions?.load(sessionId)
      : await checkpointsOf(store).load(sessionId);
  return stored?.messages ?? [];
}

function checkpointsOf(store: AgentStore): CheckpointStore {
  if (store.checkpoints) return store.checkpoints;
  throw new ConfigurationError('Expected a store with checkpoints', { field: 'openStore' });
}
