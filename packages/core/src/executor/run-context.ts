import type { ApprovalStore, SnapshotAgent } from '../contract/index.js';
import type { AgentHook, Ids, Logger, Timers } from '../ports/index.js';
import type { Cast } from './cast.js';
import type { Emit } from './events.js';
import type { TurnDuties } from './execution.js';
import type { RunLease } from './held-lease.js';
import type { LiveInput } from './live-input.js';
import type { Recorder } from './recorder.js';
import type { Delegation, Tasks } from './subagents/delegates.js';
import type { Watch } from './watch.js';

/** What the effects of a run need. */
export interface RunContext {
  readonly cast: Cast;
  readonly hooks: readonly AgentHook[];
  /** Tool calls of one turn that run at the same time. */
  readonly toolConcurrency: number;
  readonly streamsText: boolean;
  readonly recorder: Recorder;
  /** Where questions to people are kept. */
  readonly approvals: ApprovalStore | undefined;
  /** How long an approval may be given, in milliseconds; without, it does not expire. */
  readonly approvalTtlMs: number | undefined;
  /** What the snapshot of a pause says of the agent. */
  readonly agent: SnapshotAgent;
  readonly lease: RunLease | undefined;
  /** What people say meanwhile; absent where nobody can. */
  readonly input: LiveInput | undefined;
  readonly turn: TurnDuties | undefined;
  /** Where the run is a sub-agent's. */
  readonly delegation: Delegation | undefined;
  /** What sub-agents do for the run. */
  readonly tasks: Tasks | undefined;
  /** Fires when the caller aborts, where the caller can. */
  readonly aborted: AbortSignal | undefined;
  /** Fires when the caller aborts or the lease is lost. */
  readonly stop: AbortSignal;
  readonly emit: Emit;
  /** Where the run is observed: of a step, or of a call, while that goes on. */
  readonly watch: Watch | undefined;
  readonly timers: Timers;
  readonly ids: Ids;
  readonly logger: Logger;
}
