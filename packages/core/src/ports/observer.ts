import type { CheckpointStatus, Message, RunTrace, RunUsage } from '../contract/index.js';
import type { ModelRequest, ModelResponse } from './provider.js';

/**
 * Watches what the executor does, and changes nothing of it. Every method is optional. What a method throws is said once through the
 * logger and ignored: the run goes on, without what would have been seen.
 *
 * `parent` is what the new observation belongs to, as the observer itself made it: the run of a step, the step of a model call, the call
 * that a sub-agent works for. It is absent for a run that nobody's call asked for.
 */
export interface Observer {
  /** A run begins or goes on in this process. What an earlier process did of it was another observation. */
  run?(run: ObservedRun, parent: ParentObservation | undefined): Observation<RunOutcome> | undefined;
  /** One model call and the tool calls it asks for. A step that a crash cut in two is observed once by each process. */
  step?(step: ObservedStep, parent: ParentObservation | undefined): Observation<Outcome> | undefined;
  /** The provider is asked. */
  modelCall?(
    call: ObservedModelCall,
    parent: ParentObservation | undefined,
  ): Observation<ModelCallOutcome> | undefined;
  /** A tool runs, or a sub-agent works on a task. Calls that are answered without running are not observed. */
  toolCall?(
    call: ObservedToolCall,
    parent: ParentObservation | undefined,
  ): Observation<ToolCallOutcome> | undefined;
  /** A checkpoint is saved, lost replies included. */
  save?(save: ObservedSave, parent: ParentObservation | undefined): Observation<Outcome> | undefined;
  /** Something that has no length. */
  note?(occurrence: Occurrence, parent: ParentObservation | undefined): void;
}

/** Something that has begun and will end. */
export interface Observation<in Result> {
  /** How another process can name it, as the `traceparent` of W3C Trace Context; of a run, it is kept with the record. */
  readonly traceparent?: string | undefined;
  /** Calls `work` once and returns what it returns, with the observation as the current one of whatever `work` calls. */
  within<T>(work: () => T): T;
  /** Called once. */
  end(result: Result): void;
}

/** An observation that others belong to. */
export type ParentObservation = Observation<never>;

export interface ObservedRun {
  readonly runId: string;
  /** Of the record; absent for a run that is not durable. */
  readonly sessionId?: string;
  /** What the run is a part of in the eyes of a user: of a turn, the session. Absent for a sub-agent, whose lead's it is. */
  readonly conversationId?: string;
  readonly agentName: string;
  readonly agentId?: string;
  readonly providerName: string;
  readonly model?: string;
  /** From the outermost sub-agent down to this one; absent where the run is nobody's task. */
  readonly subagentPath?: readonly string[];
  /** Why there is something to go on with; absent for a run that begins. */
  readonly resumes?: ResumeReason;
  /** The observation in which the run was left, where one was kept. */
  readonly interrupted?: RunTrace;
  /** The fencing token, where the store mints one. */
  readonly epoch?: number;
  /** What the run had spent before. */
  readonly usage: RunUsage;
}

/**
 * `interrupted`: whoever had it is gone without a word: it crashed, lost its lease, or was aborted. `failed`: its last attempt left an
 * error on the record. `decided`: a person has answered. `forked`: it is a copy of a run that was observed.
 */
export type ResumeReason = 'interrupted' | 'failed' | 'decided' | 'forked';

export interface ObservedStep {
  readonly runId: string;
  readonly step: number;
  readonly agentName: string;
}

export interface ObservedModelCall {
  readonly agentName: string;
  readonly providerName: string;
  /** As it is asked: the agent's, or the provider's own. */
  readonly model?: string;
  readonly isStreamed: boolean;
  /** As the hooks left it. Contents of messages are in it. */
  readonly request: ModelRequest;
}

export interface ObservedToolCall {
  readonly toolName: string;
  readonly toolCallId: string;
  readonly description: string;
  readonly step: number;
  /** As the tool gets them. */
  readonly args: unknown;
  /** A person has approved it. */
  readonly isDecided: boolean;
}

export interface ObservedSave {
  readonly sessionId: string;
  readonly runId: string;
  readonly revision: number;
  readonly status: CheckpointStatus;
}

/** How something ended that has no more to say: with an error, or well. */
export interface Outcome {
  readonly error?: unknown;
}

export interface RunOutcome extends Outcome {
  /** Absent where the run rejected. */
  readonly finishReason?: string;
  /** What the run has spent in all, also before this process. */
  readonly usage?: RunUsage;
}

export interface ModelCallOutcome extends Outcome {
  /** Absent where the call failed or was cut off. */
  readonly response?: ModelResponse;
  /** The run was stopped, or a steer took the call's place. */
  readonly isCutOff?: true;
}

export interface ToolCallOutcome extends Outcome {
  /** As the transcript gets it, before hooks; an error's too. Absent where the run rejected, and behind a question. */
  readonly result?: Message;
  /** A sub-agent has asked a person: the call goes on when the run is resumed. */
  readonly isSuspended?: true;
}

export type Occurrence =
  /** Another owner holds the id. `call`: what was turned away, the start of a run, a resume, or a decision. */
  | {
      readonly kind: 'lease-refused';
      readonly sessionId: string;
      readonly call: 'send' | 'resume' | 'decide';
    }
  /** Told once of each lease, when the run that held it learns of it. */
  | { readonly kind: 'lease-lost'; readonly sessionId: string }
  | {
      readonly kind: 'handoff';
      readonly from: string;
      readonly to: string;
      readonly toolCallId: string;
    }
  /** How many unfinished runs a look of `recover()` found in its store, those that are going on included. */
  | { readonly kind: 'pending'; readonly agentName: string; readonly runs: PendingCount };

export interface PendingCount {
  readonly inProgress: number;
  readonly awaitingApproval: number;
}
