import type { PendingApproval, RunUsage } from '../contract/index.js';
import type { AgentDrift } from '../run/fingerprint.js';
import type { FinishReason } from '../run/run-state.js';

export interface EventError {
  readonly name: string;
  readonly message: string;
  readonly code?: string;
}

/** The sub-agent whose event it is: its names from the outermost in, and its task. */
export interface SubagentTag {
  readonly path: readonly string[];
  readonly taskId: string;
}

/** What an event says, by its type. Those of sub-agents are tagged; their beginning and end are those of the lead's call. */
export type RunEventBody = EventByType & { readonly subagent?: SubagentTag };

type EventByType =
  | {
      readonly type: 'run.start';
      readonly agentName: string;
      readonly agentId?: string;
      readonly resumed?: true;
    }
  | ({ readonly type: 'agent.drift' } & AgentDrift)
  /** The run is with another agent from here on. */
  | { readonly type: 'handoff'; readonly from: string; readonly to: string; readonly toolCallId: string }
  | { readonly type: 'step.start'; readonly step: number }
  | { readonly type: 'text.delta'; readonly delta: string }
  | { readonly type: 'text.done'; readonly text: string }
  | {
      readonly type: 'tool.start';
      readonly toolCallId: string;
      readonly toolName: string;
      readonly args: unknown;
    }
  /** A call that a person decided goes on. */
  | {
      readonly type: 'tool.resume';
      readonly toolCallId: string;
      readonly toolName: string;
      readonly args: unknown;
    }
  | {
      readonly type: 'approval.requested';
      readonly approvalId: string;
      readonly toolCallId: string;
      readonly toolName: string;
      readonly args: unknown;
      readonly kind?: 'question';
      readonly question?: PendingApproval['question'];
      readonly expiresAt?: string;
      /** The sub-agents through which it came, outermost first; `toolCallId` is then the innermost one's. */
      readonly subagentPath?: readonly string[];
    }
  | {
      readonly type: 'tool.done';
      readonly toolCallId: string;
      readonly toolName: string;
      readonly result: unknown;
      readonly durationMs: number;
      readonly replacedByHook?: true;
    }
  | {
      readonly type: 'tool.error';
      readonly toolCallId: string;
      readonly toolName: string;
      readonly error: EventError;
      readonly durationMs: number;
    }
  /** Input has been kept, and joins before the next model call. */
  | { readonly type: 'input.queued'; readonly id: string }
  /** `immediate`: it took the place of the model call that was going on. */
  | { readonly type: 'input.steered'; readonly id: string; readonly mode: 'immediate' | 'queued' }
  /** The model hears of it with this step. */
  | { readonly type: 'input.applied'; readonly id: string; readonly step: number }
  | {
      readonly type: 'step.done';
      readonly step: number;
      /** `steered`: new input took the place of the model call. */
      readonly finishReason: FinishReason | 'steered';
      readonly usage?: RunUsage;
    }
  | { readonly type: 'error'; readonly error: EventError }
  | {
      readonly type: 'run.done';
      readonly finishReason: FinishReason;
      readonly text: string;
      readonly usage?: RunUsage;
    };

/** What every event carries. `seq` counts 0, 1, 2, ... within the stream; JSON text and back gives an equal event. */
export interface RunEventBase {
  readonly runId: string;
  readonly seq: number;
  /** ISO instant. */
  readonly timestamp: string;
  readonly v: 1;
}

/**
 * An event of a run. `run.start` comes first and `run.done` last, once each, also when the run fails; `tool.start` comes in call
 * order, `tool.done` and `tool.error` in the order in which the calls settle.
 */
export type RunEvent = RunEventBody & RunEventBase;

export type Emit = (event: RunEventBody) => void;

export function eventError(error: unknown): EventError {
  if (!(error instanceof Error)) return { name: 'Error', message: String(error) };
  const code = (error as { code?: unknown }).code;
  return { name: error.name, message: error.message, ...(typeof code === 'string' && { code }) };
}
