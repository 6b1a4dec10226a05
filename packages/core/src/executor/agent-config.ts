import type { ApprovalNeed, LLMProvider, StandardSchema, Tool, ToolContext } from '../ports/index.js';
import type { RunInput } from './run-input.js';

/** What the functions of a dynamic agent are given. A resumed run gives them what it began with, whoever resumes it. */
export interface AgentContext {
  /** Of the run, or of the session whose turn it is. */
  readonly sessionId?: string;
  /** What the run was given, in the shape in which it was given; without what the session knew already. */
  readonly input: RunInput;
  readonly metadata?: Readonly<Record<string, unknown>>;
}

/** A value, or a function that is asked for it once per run. A function that throws rejects with `LOUSHO_CONFIG_RESOLVER_FAILED`. */
export type PerRun<T> = T | ((context: AgentContext) => T | undefined | Promise<T | undefined>);

/** Who runs: its instructions, its model, its tools. */
export interface AgentConfig {
  readonly name: string;
  readonly id?: string;
  /**
   * The system prompt of a new session. A stored session keeps its own, unless this is a function: then each new run of the session
   * has what it gives.
   */
  readonly prompt?: PerRun<string>;
  /** A function is asked when a run begins; a resumed run keeps the model that was chosen. */
  readonly model?: PerRun<string>;
  readonly tools?: PerRun<readonly Tool[]>;
  /** Agents that the model may hand the run over to. A function also lets agents hand over to each other. */
  readonly handoffs?: PerRun<readonly Handoff[]>;
  /** Model calls that a run may make, over all its resumes. Default 10. */
  readonly maxSteps?: number;
}

/** The tool by which the model hands the run over to another agent. It is never executed. */
export interface TransferTool {
  /** Default `transfer_to_<name>`, what a tool's name cannot have as `_`. */
  readonly toolName?: string;
  /** Tells the model when to hand over. */
  readonly description?: string;
  /** What the model gives with it. Default `{ reason?: string }`. */
  readonly input?: StandardSchema;
  /** The JSON Schema for the model, for a library whose schemas cannot make one. */
  readonly inputJsonSchema?: Readonly<Record<string, unknown>>;
  /** Asks a person before the run is handed over, as for any tool. */
  readonly needsApproval?:
    | ApprovalNeed
    | ((args: unknown, context: ToolContext) => ApprovalNeed | Promise<ApprovalNeed>);
}

/** An agent that a run may be handed over to. Its own limit of steps does not count: the run keeps its lead's. */
export interface Handoff extends TransferTool {
  readonly agent: AgentConfig;
  /** Default: the lead's. */
  readonly provider?: LLMProvider;
}
