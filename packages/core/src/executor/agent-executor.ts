import { type AgentRun, startAgentRun } from './agent-run.js';
import type { ExecuteOptions } from './execute-options.js';
import { executePlan, resumePlan } from './execute-plan.js';
import type { ExecutionResult } from './execution-result.js';
import { type ForkOptions, type ForkResult, forkRun } from './fork-run.js';
import { planRun } from './run-plan.js';

const NO_EVENTS = () => undefined;

/** Runs agents. With a session id and a checkpoint store a run is durable: it survives the process that started it. */
// biome-ignore lint/complexity/noStaticOnlyClass: the executor API is known by this name
export class AgentExecutor {
  /**
   * Starts, resumes or continues the run of `sessionId`, depending on what is stored under it, and resolves when it has finished,
   * was aborted, or waits for a person. Input for an unfinished run joins behind the results of its pending calls; a re-sent start
   * message or history is recognised. Rejects with `LOUSHO_SESSION_BUSY` before anything runs when another holder advances the id,
   * with `LOUSHO_SESSION_AWAITING_APPROVAL` when it waits for a decision, with `LOUSHO_CONFIG_*` for wrong options.
   */
  static async execute(options: ExecuteOptions): Promise<ExecutionResult> {
    const plan = planRun(options);
    return executePlan({ plan, runId: plan.ports.ids.next(), emit: NO_EVENTS, streamsText: false });
  }

  /** The same as a stream of events. Wrong options throw at once. */
  static stream(options: ExecuteOptions): AgentRun {
    const plan = planRun(options);
    const runId = plan.ports.ids.next();
    return startAgentRun(runId, plan.ports, (emit, input) =>
      executePlan({ plan, runId, emit, input, streamsText: true }),
    );
  }

  /**
   * Starts a new session from a step of another one's history: "what if the tool had answered otherwise?" The source is only read.
   * Rejects with `LOUSHO_CHECKPOINT_NOT_FOUND` when the step is not kept (the message lists those that are), with
   * `LOUSHO_CONFIG_INVALID` for a store without history, an id that has a checkpoint, or a call that is not in the transcript.
   */
  static fork(options: ForkOptions): Promise<ForkResult> {
    return forkRun(options);
  }

  /** Finishes the unfinished run of `sessionId`; `null` when there is none. Takes no input. */
  static async resume(options: Omit<ExecuteOptions, 'input'>): Promise<ExecutionResult | null> {
    const plan = planRun({ ...options, input: [] });
    return resumePlan({ plan, runId: plan.ports.ids.next(), emit: NO_EVENTS, streamsText: false });
  }
}
