export { compareTrajectories, type DriftEntry, type TrajectoryComparison } from '../run/compare.js';
export type { ForkPatch } from '../run/fork.js';
export { formatComparison } from '../run/format-comparison.js';
export type { FinishReason } from '../run/run-state.js';
export type { TrajectoryCall, TrajectoryStep } from '../run/trajectory.js';
export type { AgentConfig, AgentContext, Handoff, PerRun, TransferTool } from './agent-config.js';
export { AgentExecutor } from './agent-executor.js';
export type { AgentRun } from './agent-run.js';
export type { EventError, RunEvent, RunEventBase, RunEventBody, SubagentTag } from './events.js';
export type { ExecuteOptions, RunPorts } from './execute-options.js';
export type { ExecutedToolCall, ExecutionResult } from './execution-result.js';
export type { ForkOptions, ForkResult } from './fork-run.js';
export { DEFAULT_TTL_MS, type LeaseTiming } from './lease-keeper.js';
export type { EnqueuedInput, SteeredInput } from './live-input.js';
export { resumeAfterApproval, streamResumeAfterApproval } from './resume-after-approval.js';
export {
  type ApprovalResumeOptions,
  type ResumeRequest,
  resumeRequest,
  streamResumeRequest,
} from './resume-request.js';
export type { RunInput } from './run-input.js';
export { DEFAULT_MAX_STEPS } from './run-plan.js';
export type { BackgroundTask, Delegates } from './subagents/delegates.js';
export type { Subagent } from './subagents/subagent.js';
export { type SubagentOptions, type SubagentsSettings, subagents } from './subagents/subagents.js';
export { ToolRegistry } from './tool-registry.js';
