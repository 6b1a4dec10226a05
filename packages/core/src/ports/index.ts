export { systemTimers, type Timers } from './clock.js';
export type { AfterToolOutcome, AgentHook, BeforeToolOutcome, ToolHookEvent } from './hooks.js';
export { type Ids, randomIds } from './ids.js';
export { consoleLogger, type Logger } from './logger.js';
export type {
  ModelCallOutcome,
  Observation,
  ObservedModelCall,
  ObservedRun,
  ObservedSave,
  ObservedStep,
  ObservedToolCall,
  Observer,
  Occurrence,
  Outcome,
  ParentObservation,
  PendingCount,
  ResumeReason,
  RunOutcome,
  ToolCallOutcome,
} from './observer.js';
export type {
  LLMProvider,
  ModelFinishReason,
  ModelRequest,
  ModelResponse,
  ModelStreamPart,
  ToolSpec,
} from './provider.js';
export { defineSkill, type Skill } from './skill.js';
export type { InferOutput, StandardIssue, StandardResult, StandardSchema } from './standard-schema.js';
export {
  type ApprovalNeed,
  assertApprovalNeed,
  defineTool,
  type Reconciled,
  type Tool,
  type ToolContext,
  type ToolDefinition,
} from './tool.js';
