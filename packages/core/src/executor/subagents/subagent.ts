import type { AgentHook, LLMProvider } from '../../ports/index.js';
import type { AgentConfig } from '../agent-config.js';
import type { Delegates } from './delegates.js';

/** An agent that a lead may ask. */
export interface Subagent {
  /** How the lead's model names it: 1-64 characters of letters, digits, `_` and `-`. */
  readonly name: string;
  /** Tells the lead's model what to ask it for. */
  readonly description: string;
  readonly agent: AgentConfig;
  readonly provider: LLMProvider;
  /** Behind the lead's. */
  readonly hooks?: readonly AgentHook[];
  /** Its own sub-agents, where the lead's depth allows them. */
  readonly delegates?: Delegates;
  /**
   * Keeps its run in a record of its own beside its lead's, so that a lead that crashed resumes it where it stood. Without, it starts
   * over, unless it has asked a person.
   */
  readonly durable?: boolean;
}
