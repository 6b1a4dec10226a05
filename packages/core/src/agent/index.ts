export type { Agent, AgentForkOptions, ResumeOptions, SendOptions } from './agent.js';
export type { CreateAgentOptions } from './agent-options.js';
export type { Approvals, DecisionOptions, QuestionAnswer } from './approvals.js';
export { createAgent } from './create-agent.js';
export type { AgentHandoff, HandoffAgent, HandoffList, HandoffOptions } from './handoff-options.js';
export type { PendingRun } from './pending-run.js';
export type { RecoverOptions, Recovery } from './recover.js';
export type {
  AgentSession,
  PendingTurn,
  SessionForkOptions,
  SessionOptions,
  SessionSendOptions,
  TurnPolicy,
} from './session/agent-session.js';
export type { SessionStep } from './session/session-steps.js';
export type { SubagentDefinition, SubagentSettings } from './subagent-options.js';
