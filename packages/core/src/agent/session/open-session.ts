import {
  type Checkpoint,
  type CheckpointStore,
  ConfigurationError,
  SessionBusyError,
  statusOf,
} from '../../contract/index.js';
import { assertNotMoved } from '../../executor/admission-checks.js';
import { startAgentRun } from '../../executor/agent-run.js';
import type { ExecuteOptions } from '../../executor/execute-options.js';
import type { RunLease } from '../../executor/held-lease.js';
import { LeaseKeeper } from '../../executor/lease-keeper.js';
import { LiveInput } from '../../executor/live-input.js';
import { assertKnownOptions } from '../../executor/option-checks.js';
import { SessionQueue } from '../../executor/session-queue.js';
import { removeTasksOf } from '../../executor/subagents/remove-tasks.js';
import { hasEnded } from '../../run/ended.js';
import { sessionOfTurn, turnKey } from '../../run/turn-key.js';
import { type AgentSetup, checkpointsOf } from '../agent-options.js';
import type { SettleTurn } from '../approvals.js';
import type {
  AgentSession,
  SessionForkOptions,
  SessionOptions,
  SessionSendOptions,
} from './agent-session.js';
import { createFork, patched } from './fork-transcript.js';
import { assertTurnPolicy, LiveTurns } from './live-turns.js';
import { nullIfCorrupt } from './null-if-corrupt.js';
import { assertSessionId, pausedKey } from './session-keys.js';
import { sessionSteps, transcriptAt } from './session-steps.js';
import { SessionTurns } from './session-turns.js';
import { type Transcript, Transcripts } from './transcripts.js';

export interface OpenSessionParts {
  readonly setup: AgentSetup;
  /** What a turn runs with. */
  turnOptions(options: SessionSendOptions): Omit<ExecuteOptions, 'input' | 'sessionId'>;
  /** Lets the agent's `close()` wait for the call. */
  track<T>(call: Promise<T>): Promise<T>;
}

const SEND = ['signal', 'metadata', 'principal'] as const satisfies readonly (keyof SessionSendOptions)[];
const SESSION = ['id', 'turnPolicy'] as const satisfies readonly (keyof SessionOptions)[];
const FORK = ['fromStep', 'id', 'patch'] as const satisfies readonly (keyof SessionForkOptions)[];

/** The stores that sessions are kept in. Rejects with `LOUSHO_CONFIG_*` when one is missing. */
export function transcriptsOf(setup: AgentSetup): Transcripts {
  const checkpoints = checkpointsOf(setup, 'session');
  if (setup.sessions) return new Transcripts(setup.sessions, checkpoints);
  throw new ConfigurationError('Expected a `store` with sessions for session(), got none', {
    field: 'store',
  });
}

/** A session of an agent. Nothing is read or written before a call on it. */
export function openSession(parts: OpenSessionParts, options: SessionOptions = {}): AgentSession {
  const { setup, track, turnOptions } = parts;
  assertKnownOptions('session()', options, SESSION);
  const { id = setup.ports.ids.next(), turnPolicy = 'wait' } = options;
  assertSessionId(id);
  assertTurnPolicy(turnPolicy);
  const transcripts = transcriptsOf(setup);
  const { checkpoints, sessions } = transcripts;
  const liveTurns = LiveTurns.of(sessions);
  const inLine = <T>(work: () => Promise<T>): Promise<T> => track(SessionQueue.of(sessions).run(id, work));

  function turnsFor(options: SessionSendOptions = {}): SessionTurns {
    assertKnownOptions('session.send()', options, SEND);
    return new SessionTurns({
      sessionId: id,
      transcripts,
      approvals: setup.approvals,
      options: turnOptions(options),
      acquire: acquirer(setup, checkpoints),
    });
  }

  return {
    id,
    send: async (input, options) => {
      const turns = turnsFor(options);
      const canJoin = turnPolicy !== 'wait' && Object.keys(options ?? {}).length === 0;
      const joining = canJoin ? liveTurns.join(id, input, turnPolicy) : undefined;
      // Without a wait where there is nothing to join: a call right behind this one finds its turn.
      const joined = joining && (await joining);
      if (joined) return joined;
      const runId = setup.ports.ids.next();
      const live = new LiveInput(setup.ports.ids);
      const call = { runId, emit: () => undefined, input: live, streamsText: false };
      const result = inLine(() => turns.send(input, call));
      liveTurns.begin(id, { input: live, result, principal: options?.principal });
      return result;
    },
    stream: (input, options) => {
      const turns = turnsFor(options);
      const runId = setup.ports.ids.next();
      return startAgentRun(runId, setup.ports, (emit, live) => {
        const result = inLine(() => turns.send(input, { runId, emit, input: live, streamsText: true }));
        liveTurns.begin(id, { input: live, result, principal: options?.principal });
        return result;
      });
    },
    resume: async (options = {}) => {
      const turns = turnsFor(options);
      const runId = setup.ports.ids.next();
      return inLine(() => turns.resume({ runId, emit: () => undefined, streamsText: false }));
    },
    pending: async () => {
      const turn = await turnsFor().stored(await transcripts.load(id));
      if (!turn || hasEnded(turn)) return null;
      const { approvalId, approvalKind } = turn;
      return {
        status: statusOf(turn) === 'awaiting-approval' ? 'awaiting-approval' : 'in-progress',
        ...(approvalId !== undefined && { approvalId }),
        ...(approvalKind !== undefined && { approvalKind }),
      };
    },
    discardPending: () =>
      inLine(async () => {
        const { nextTurn } = await transcripts.load(id);
        const turn = await nullIfCorrupt(checkpoints.load(nextTurn));
        assertNotMoved(turn);
        // The checkpoint behind its approvals: a call that is cut off here can be made again.
        await withdrawUndecided(setup, turn);
        if (turn) await removeTasksOf(checkpoints, turn);
        await checkpoints.delete(nextTurn);
        await checkpoints.delete(pausedKey(id));
      }),
    clear: () =>
      inLine(async () => {
        const before = await transcripts.load(id);
        // A turn that another process runs is refused, not pulled away from under it. No lease can be had on one that cannot be read.
        const lease = await nullIfCorrupt(acquirer(setup, checkpoints)(before.nextTurn));
        try {
          const turns = turnsFor();
          await turns.assertCurrent(before);
          await turns.assertNotPaused(before);
          const turn = await nullIfCorrupt(checkpoints.load(before.nextTurn));
          if (turn) await removeTasksOf(checkpoints, turn);
          // The transcript last: by its length a call that is made again after a crash finds the turns.
          for (let length = 0; length <= before.messages.length; length++)
            await checkpoints.delete(turnKey(id, length));
          await checkpoints.delete(pausedKey(id));
          await sessions.delete(id);
        } finally {
          await lease?.release();
        }
      }),
    messages: async () => (await transcripts.load(id)).messages,
    history: async () => sessionSteps((await transcripts.load(id)).messages),
    fork: async (options) => {
      assertKnownOptions('session.fork()', options, FORK);
      const before = await transcripts.load(id);
      await assertNoTurnGoesOn(parts, transcripts, id, before);
      const kept = patched(transcriptAt(before.messages, options.fromStep), options.patch?.toolResult);
      return openSession(parts, { id: await createFork(transcripts, id, options.id, kept), turnPolicy });
    },
  };
}

/** What is done with the result of a decision that was about a session's turn. */
export function turnSettler(parts: OpenSessionParts): SettleTurn {
  const { setup, turnOptions } = parts;
  return async ({ sessionId: key = '' }, result) => {
    const sessionId = sessionOfTurn(key);
    if (sessionId === undefined || !setup.sessions) return result;
    const transcripts = transcriptsOf(setup);
    const turns = new SessionTurns({
      sessionId,
      transcripts,
      approvals: setup.approvals,
      options: turnOptions({}),
      acquire: acquirer(setup, transcripts.checkpoints),
    });
    const before = await transcripts.load(sessionId);
    if (before.nextTurn === key) return turns.settled(before, result);
    // Somebody who found the turn finished has committed it already, or the conversation went another way.
    if (result.finishReason !== 'awaiting-approval') transcripts.assertCommitted(sessionId, before, result);
    return { ...result, sessionId };
  };
}

function acquirer(setup: AgentSetup, store: CheckpointStore): (key: string) => Promise<RunLease> {
  return (key) => LeaseKeeper.of(store, setup.lease, setup.ports).acquire(key);
}

/** Rejects with `LOUSHO_SESSION_BUSY` while a turn goes on, here or elsewhere; not while one waits for a person. */
async function assertNoTurnGoesOn(
  { setup }: OpenSessionParts,
  { sessions, checkpoints }: Transcripts,
  sessionId: string,
  { nextTurn }: Transcript,
): Promise<void> {
  if (SessionQueue.of(sessions).isBusy(sessionId))
    throw new SessionBusyError(sessionId, `a turn of session ${sessionId} goes on in this process`);
  const turn = await nullIfCorrupt(checkpoints.load(nextTurn));
  if (!turn || hasEnded(turn) || statusOf(turn) === 'awaiting-approval') return;
  await (await acquirer(setup, checkpoints)(nextTurn)).release();
}

/** A decision that was given stays on record. */
async function withdrawUndecided({ approvals }: AgentSetup, turn: Checkpoint | null): Promise<void> {
  for (const { approvalId } of turn?.pausedCalls ?? []) {
    const record = await approvals?.load(approvalId);
    if (record && !record.decision) await approvals?.delete(approvalId);
  }
}
