import { expected } from '../../contract/index.js';
import type { ExecutionResult } from '../../executor/execution-result.js';
import type { LiveInput } from '../../executor/live-input.js';
import type { RunInput } from '../../executor/run-input.js';
import type { TurnPolicy } from './agent-session.js';

/** A turn that somebody has begun, whether it runs or waits in line. */
interface LiveTurn {
  readonly input: LiveInput;
  readonly result: Promise<ExecutionResult>;
  readonly principal: unknown;
}

/** The turns that were begun in this process and are not over, by session: what is said meanwhile can join them. */
export class LiveTurns {
  static readonly #all = new WeakMap<object, LiveTurns>();

  /** Those of a store; the same store always has the same ones. */
  static of(sessions: object): LiveTurns {
    const known = LiveTurns.#all.get(sessions) ?? new LiveTurns();
    LiveTurns.#all.set(sessions, known);
    return known;
  }

  /** Of each session the last one in line: what joins another one would overtake it. */
  readonly #last = new Map<string, LiveTurn>();

  begin(sessionId: string, turn: LiveTurn): void {
    this.#last.set(sessionId, turn);
    const end = (): void => {
      turn.input.close();
      if (this.#last.get(sessionId) === turn) this.#last.delete(sessionId);
    };
    turn.result.then(end, end);
  }

  /** The result of the turn that the input joins; nothing where it has to be a turn of its own. */
  join(
    sessionId: string,
    said: RunInput,
    policy: Exclude<TurnPolicy, 'wait'>,
  ): Promise<ExecutionResult | undefined> | undefined {
    const turn = this.#last.get(sessionId);
    // What is said on behalf of nobody in particular is not done on behalf of somebody.
    if (!turn || turn.principal !== undefined) return undefined;
    return resultOnceJoined(turn, said, policy);
  }
}

export function assertTurnPolicy(value: unknown): asserts value is TurnPolicy {
  if (value === 'wait' || value === 'queue' || value === 'steer') return;
  throw expected('turnPolicy', "'wait', 'queue' or 'steer'", value);
}

async function resultOnceJoined({ input, result }: LiveTurn, said: RunInput, policy: TurnPolicy) {
  let hasJoined: boolean | Promise<boolean>;
  try {
    hasJoined = policy === 'steer' ? input.steer(said).joined : input.enqueue(said).applied;
  } catch {
    // What nobody can say to a run may still begin a turn: that judges it.
    return undefined;
  }
  return (await hasJoined) ? result : undefined;
}
