export type { AgentStore, BundledStore, PruneOptions, PruneResult } from './agent-store.js';
export type { ApprovalDecision } from './approval-decision.js';
export { type ApprovalRow, type ApprovalTable, TableApprovalStore } from './approval-record.js';
export type {
  ApprovalRecord,
  ApprovalStore,
  ExecutionSnapshot,
  PendingApproval,
  SnapshotAgent,
  SubagentSuspension,
} from './approval-store.js';
export type { StoreCapabilities } from './capabilities.js';
export {
  type AgentFingerprint,
  type Checkpoint,
  type CheckpointStatus,
  type DelegatedSpend,
  type DelegatedUsage,
  type LastError,
  type PausedCall,
  type RunConfig,
  type RunStart,
  type RunTrace,
  type RunUsage,
  statusOf,
  type TaskOrigin,
} from './checkpoint.js';
export {
  type ChangedRow,
  type CheckpointLog,
  changedRows,
  type LogHead,
  type LogPage,
  type LogRecord,
  type LogWrite,
  type StoredRows,
} from './checkpoint-log.js';
export { corruptCheckpoint, pendingOf } from './checkpoint-record.js';
export type {
  CheckpointListing,
  CheckpointStore,
  HistoryEntry,
  Lease,
  LeaseHolder,
  LeaseRef,
  ListFilter,
  PendingCheckpoint,
  SaveOptions,
} from './checkpoint-store.js';
export {
  DEFAULT_HISTORY_LIMIT,
  historyLimit,
  positiveInteger,
  pruneAge,
  ttl,
  wholeNumber,
} from './checks.js';
export { type Clock, isoTime, systemClock } from './clock.js';
export { decode, encode } from './codec.js';
export { decodeCheckpoint } from './decode-checkpoint.js';
export { hasOwnerEnded, markOwnerEnded } from './ended-owners.js';
export { ERROR_CODES, type ErrorCode } from './error-codes.js';
export {
  CheckpointCorruptError,
  ConfigurationError,
  expected,
  expectedKind,
  PropagatingToolError,
  SDKError,
  type SDKErrorOptions,
  SessionAwaitingApprovalError,
  SessionBusyError,
  show,
} from './errors.js';
export { type Address, addressOf, reasonOf } from './fault-text.js';
export { isUnreadable, RECORD_FORMAT } from './format.js';
export { Gate, type GateOptions } from './gate.js';
export { guardCheckpointStore } from './guard.js';
export { markGuarded } from './guarded.js';
export {
  assertApprovalId,
  assertRunId,
  assertStoreKey,
  compareIds,
  isPartKey,
  isStoreKey,
  outermostLeadOf,
} from './ids.js';
export { LogCheckpointStore, type LogCheckpointStoreParts } from './log-checkpoint-store.js';
export type { ContentPart, Message, ModelUsage, ToolCall } from './messages.js';
export { failureOf, mayPass, type ProviderFailure, ProviderRequestError } from './provider-request-error.js';
export { type SessionRow, type SessionTable, TableSessionStore } from './session-record.js';
export type { SessionRecord, SessionStore } from './session-store.js';
export { getCheckpointHistory, listCheckpoints } from './store-helpers.js';
export { assertSupportedRuntime } from './supported-runtime.js';
