import {
  type Checkpoint,
  type CheckpointStatus,
  type CheckpointStore,
  type Message,
  SDKError,
  statusOf,
} from '../contract/index.js';
import type { ObservedSave } from '../ports/index.js';
import { apply, type Fact } from '../run/apply.js';
import { checkpointOf } from '../run/checkpoint-of.js';
import { settleDelegations } from '../run/delegation.js';
import { endStatus } from '../run/ended.js';
import { type FinishReason, type RunState, standingStatus } from '../run/run-state.js';
import type { RunLease } from './held-lease.js';
import { type Watch, watched } from './watch.js';

interface Save {
  readonly status: CheckpointStatus;
  readonly finishReason?: FinishReason;
  /** Nothing comes behind it, and nobody relies on it. */
  readonly isLastWord?: boolean;
}

/** Where a run's checkpoints go. */
export interface RecordTarget {
  readonly store: CheckpointStore;
  readonly lease: RunLease;
  /** What was loaded under the lease. */
  readonly stored: Checkpoint | null;
}

/** How often a save whose reply was lost is looked up and tried again. */
const MAX_UNKNOWN_OUTCOMES = 3;

/**
 * Holds a run's state and makes each fact durable before the caller goes on. Saves of a run follow one another, each a revision, so
 * that an older state never lands after a newer one. Without a target the run is not durable and facts are only applied.
 */
export class Recorder {
  /** What saves belong to. */
  watch: Watch | undefined;
  #state: RunState;
  #tail: Promise<unknown> = Promise.resolve();
  #revision: number;
  #savedMessages: readonly Message[];
  /** The last save may have arrived or not. */
  #doubt: { readonly error: unknown } | undefined;

  constructor(
    state: RunState,
    readonly target: RecordTarget | undefined,
    /** Told of each fact when it is durable; the recorder's caller waits for it too. */
    readonly onRecorded?: (state: RunState, fact: Fact) => Promise<void>,
  ) {
    this.#state = state;
    this.#revision = target?.stored?.revision ?? 0;
    this.#savedMessages = target?.stored?.messages ?? [];
  }

  get state(): RunState {
    return this.#state;
  }

  /** Whether the calls that are open now were so when the run was loaded: an earlier process may have started them. */
  get isTurnOfEarlierLife(): boolean {
    const stored = this.target?.stored;
    return stored?.status !== 'finished' && stored?.stepIndex === this.#state.stepIndex;
  }

  /** Applies a fact; resolves when it is durable. A final reply is not saved here: `finish()` follows it at once. */
  async record(fact: Fact): Promise<void> {
    const state = apply(this.#state, fact);
    this.#state = state;
    const isFinalReply = fact.kind === 'model-answered' && !fact.message.toolCalls?.length;
    const isLastWord = fact.kind === 'failed';
    if (!isFinalReply) await this.#enqueue({ status: standingStatus(state), isLastWord });
    await this.onRecorded?.(state, fact);
  }

  /** Saves the finished run. */
  async finish(finishReason: FinishReason): Promise<void> {
    this.#state = settleDelegations(this.#state);
    await this.#enqueue({ status: endStatus(this.#state.sessionId), finishReason });
  }

  #enqueue(save: Save): Promise<void> {
    const { target } = this;
    if (!target) return Promise.resolve();
    const state = this.#state;
    const done = this.#tail.then(() => this.#save(target, state, save));
    this.#tail = done.catch(() => undefined);
    return done;
  }

  async #save(target: RecordTarget, state: RunState, save: Save): Promise<void> {
    // Whether its revision is taken is not known: a store answers another save under it with `true`, and keeps the first.
    if (this.#doubt && !save.isLastWord) throw this.#doubt.error;
    const checkpoint = checkpointOf(state, { ...save, revision: this.#revision + 1 });
    const unchangedMessages = commonPrefix(this.#savedMessages, checkpoint.messages);
    await watched(
      this.watch,
      (observer, parent) => observer.save?.(observedSave(checkpoint), parent),
      () =>
        saveSurely(target, checkpoint, unchangedMessages, (error) => {
          this.#doubt = { error };
        }),
      () => ({}),
    );
    this.#doubt = undefined;
    this.#revision += 1;
    this.#savedMessages = checkpoint.messages;
  }
}

function observedSave({ sessionId, runId = '', revision = 0, status }: Checkpoint): ObservedSave {
  return { sessionId, runId, revision, status: statusOf({ ...(status && { status }) }) };
}

/** A lost reply is neither success nor failure: what is stored decides. */
async function saveSurely(
  target: RecordTarget,
  checkpoint: Checkpoint,
  unchangedMessages: number,
  onDoubt: (error: unknown) => void,
): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await target.lease.save(checkpoint, { unchangedMessages });
      return;
    } catch (error) {
      const isUnknown = error instanceof SDKError && error.code === 'LOUSHO_STORE_OUTCOME_UNKNOWN';
      if (isUnknown) onDoubt(error);
      if (!isUnknown || attempt === MAX_UNKNOWN_OUTCOMES) throw error;
      if (await isStored(target.store, checkpoint)) return;
    }
  }
}

async function isStored(store: CheckpointStore, checkpoint: Checkpoint): Promise<boolean> {
  const stored = await store.load(checkpoint.sessionId);
  return stored?.revision === checkpoint.revision && stored?.runId === checkpoint.runId;
}

/** Messages are never changed in place, so the same object is the same message. */
function commonPrefix(before: readonly Message[], after: readonly Message[]): number {
  let length = 0;
  while (length < before.length && length < after.length && before[length] === after[length]) length++;
  return length;
}
