import {
  type Agent,
  type ApprovalDecision,
  type BundledStore,
  type Checkpoint,
  decode,
  statusOf,
} from '@lousho/core';
import { toolCounts } from '../ledger.js';
import { callOutcome, outcomeWord } from '../resume-outcome.js';
import { effectsOf, INPUT, type Scene, type SceneAgentOptions, sceneAgent, TOOL_NAMES } from '../scene.js';

/** The tool that a person is asked about: the second of three. */
export const GATED_TOOL = 'charge';

/** What somebody is told who clicks and is not the first. */
export const ALREADY_DECIDED = 'already decided';

/** A run that waits, or waited, for a person. */
export interface AskedRun {
  readonly sessionId: string;
  readonly approvalId: string;
}

/** An agent whose every run waits before its second tool until a person has decided. */
export function gatedAgent(options: Omit<SceneAgentOptions, 'gatedTool'>): Agent {
  return sceneAgent({ ...options, gatedTool: GATED_TOOL });
}

/** Runs up to the question. */
export async function askPerson(agent: Agent, sessionId: string): Promise<AskedRun> {
  const { finishReason, approvalId } = await agent.send(INPUT, { sessionId });
  if (approvalId === undefined) throw new Error(`${sessionId} asked nobody: ${finishReason}`);
  return { sessionId, approvalId };
}

/** Approves in the name of this process; resolves with what came of it, in a word. */
export async function click(agent: Agent, { approvalId }: Pick<AskedRun, 'approvalId'>): Promise<string> {
  const outcome = await callOutcome(
    agent.approvals.resolve({ id: approvalId, approved: true, by: process.pid }),
  );
  const isLate =
    outcome.kind === 'failed' &&
    outcome.code === 'LOUSHO_APPROVAL_NOT_FOUND' &&
    outcome.message.includes(`${approvalId} was already decided`);
  return isLate ? ALREADY_DECIDED : outcomeWord(outcome);
}

/** What became of a run that asked: the tools and the questions by the ledger, the rest by the store. */
export interface GatedRun {
  readonly isFinished: boolean;
  /** How often each of the three tools took effect, in their order. */
  readonly effects: readonly number[];
  /** How often the gated tool ran on this very approval. */
  readonly approvedEffects: number;
  /** How often somebody was asked. */
  readonly asked: number;
  /** Approvals of the run that still wait for somebody. */
  readonly undecided: number;
  /** The results that the transcript has for the gated tool. */
  readonly results: readonly Readonly<Record<string, unknown>>[];
  readonly decision: ApprovalDecision | undefined;
}

export async function readGatedRuns(
  scene: Scene,
  store: BundledStore,
  runs: readonly AskedRun[],
): Promise<readonly GatedRun[]> {
  const effects = effectsOf(scene);
  const undecided = await store.approvals.list();
  const read: GatedRun[] = [];
  for (const { sessionId, approvalId } of runs) {
    const stored = await store.checkpoints.load(sessionId);
    const counts = toolCounts(effects, sessionId);
    const own = effects.filter((effect) => effect.sessionId === sessionId);
    read.push({
      isFinished: stored !== null && statusOf(stored) === 'finished',
      effects: TOOL_NAMES.map((name) => counts.get(name) ?? 0),
      approvedEffects: own.filter((effect) => effect.approvalId === approvalId).length,
      asked: own.filter((effect) => effect.kind === 'person').length,
      undecided: undecided.filter((approval) => approval.sessionId === sessionId).length,
      results: resultsOf(stored),
      decision: (await store.approvals.load(approvalId))?.decision,
    });
  }
  return read;
}

function resultsOf(stored: Checkpoint | null): GatedRun['results'] {
  const results = stored?.messages.filter(({ role, toolName }) => role === 'tool' && toolName === GATED_TOOL);
  return (results ?? []).map(({ content }) => decode(content as string) as Record<string, unknown>);
}
