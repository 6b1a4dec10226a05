import { ConfigurationError, encode, expected, type Message, type ToolCall } from '../contract/index.js';
import type { Ids } from '../ports/index.js';
import { mayDropModelCall } from '../run/decide.js';
import { withoutSystem } from '../run/input.js';
import type { QueuedInput } from '../run/run-state.js';
import { openCalls } from '../run/transcript.js';
import { WHY_STEERED, withdrawnResult } from '../run/withdraw.js';
import type { Emit } from './events.js';
import type { ModelCall } from './model-call.js';
import type { Recorder } from './recorder.js';
import { inputMessages, type RunInput } from './run-input.js';
import { emitSettled } from './settled-call.js';

/** Input that waits for the run's next model call. */
export interface EnqueuedInput {
  readonly id: string;
  /** Whether the model was told in this run; `false` at once when the run takes no more input. */
  readonly applied: false | Promise<boolean>;
}

/** Input that comes before what the run has not begun yet. */
export interface SteeredInput {
  readonly id: string;
  /** `immediate`: it took the place of a model call. `queued`: it waits for the next one. `false`: the run takes no more input. */
  readonly applied: 'immediate' | 'queued' | false;
  /** Whether the model was told in this run. */
  readonly joined: Promise<boolean>;
}

/** The calls of a turn that are being made. */
interface CallsGoingOn {
  hold(): readonly ToolCall[];
}

/** What the input comes into. */
interface RunGoingOn {
  readonly recorder: Recorder;
  readonly stop: AbortSignal;
  readonly emit: Emit;
}

/**
 * What people say to a run that is going on. It is accepted before the run has begun and until it finishes, pauses or stops, and is
 * recorded at once.
 */
export class LiveInput {
  readonly #early: QueuedInput[] = [];
  /** Told, by input, whether the model heard of it. */
  readonly #waiting = new Map<string, (isApplied: boolean) => void>();
  #run: RunGoingOn | undefined;
  #doing: ModelCall | CallsGoingOn | undefined;
  #isClosed = false;

  constructor(readonly ids: Ids) {}

  enqueue(input: RunInput): EnqueuedInput {
    const queued = this.#accept(input, false);
    if (this.#isOver) return { id: queued.id, applied: false };
    this.#queue(queued);
    return { id: queued.id, applied: this.#outcomeOf(queued) };
  }

  steer(input: RunInput): SteeredInput {
    const steer = this.#accept(input, true);
    if (this.#isOver) return { id: steer.id, applied: false, joined: Promise.resolve(false) };
    const applied = this.#dropModelCall(steer) ? 'immediate' : 'queued';
    if (applied === 'queued') this.#queue(steer);
    return { id: steer.id, applied, joined: this.#outcomeOf(steer) };
  }

  /** The run has a record from now on. */
  begin(run: RunGoingOn): void {
    this.#run = run;
    for (const input of this.#early.splice(0)) this.#queue(input);
  }

  asking(call: ModelCall): void {
    this.#doing = call;
  }

  calling(calls: CallsGoingOn): void {
    this.#doing = calls;
  }

  /** The model hears of the inputs with this step. */
  joined(inputs: readonly QueuedInput[], step: number): void {
    for (const { id } of inputs) {
      this.#run?.emit({ type: 'input.applied', id, step });
      this.#settle(id, true);
    }
  }

  /** The run takes no more input, and what has not joined is not kept. */
  close(): void {
    this.#isClosed = true;
    for (const id of [...this.#waiting.keys()]) this.#settle(id, false);
  }

  get #isOver(): boolean {
    return this.#isClosed || this.#run?.stop.aborted === true;
  }

  #accept(input: RunInput, isSteer: boolean): QueuedInput {
    return { id: this.ids.next(), messages: userMessages(input), isSteer };
  }

  /** Where nobody has heard anything of the model's answer, and a step is left for another one. */
  #dropModelCall(input: QueuedInput): boolean {
    const call = this.#doing;
    if (!this.#run || !isModelCall(call) || !call.maySteer) return false;
    const { recorder, emit } = this.#run;
    if (!mayDropModelCall(recorder.state)) return false;
    const recorded = recorder.record({ kind: 'model-steered', input, wasAsked: call.wasAsked });
    call.steer(told(recorded, () => emit({ type: 'input.steered', id: input.id, mode: 'immediate' })));
    return true;
  }

  #queue(input: QueuedInput): void {
    if (!this.#run) {
      this.#early.push(input);
      return;
    }
    const { recorder, emit } = this.#run;
    const withdrawn = input.isSteer ? this.#withdrawn(this.#run) : [];
    void told(recorder.record({ kind: 'input-queued', input, withdrawn }), () => {
      const { id, isSteer } = input;
      emit(isSteer ? { type: 'input.steered', id, mode: 'queued' } : { type: 'input.queued', id });
      for (const result of withdrawn) emitSettled({ emit }, { result, durationMs: 0 });
    });
  }

  /** Results of the calls that a steer keeps from starting. Between two activities no open call has been started here. */
  #withdrawn({ recorder }: RunGoingOn): readonly Message[] {
    const { state, isTurnOfEarlierLife } = recorder;
    const doing = this.#doing;
    const calls =
      doing && !isModelCall(doing) ? doing.hold() : openCalls(state.messages, state.settledResults);
    const withdrawal = { why: WHY_STEERED, mayHaveStarted: isTurnOfEarlierLife };
    return calls.map((call) => withdrawnResult(state, call, withdrawal));
  }

  #outcomeOf({ id }: QueuedInput): Promise<boolean> {
    return new Promise((resolve) => this.#waiting.set(id, resolve));
  }

  #settle(id: string, isApplied: boolean): void {
    this.#waiting.get(id)?.(isApplied);
    this.#waiting.delete(id);
  }
}

function isModelCall(doing: ModelCall | CallsGoingOn | undefined): doing is ModelCall {
  return doing !== undefined && 'maySteer' in doing;
}

/** A save that did not arrive is made good by the run's next one; where nobody knows, that one rejects the run. */
function told(recorded: Promise<void>, tell: () => void): Promise<void> {
  return recorded.then(tell, () => undefined);
}

/** Anything but a user's words would stand in the transcript as if the run had said it. */
function userMessages(input: RunInput): readonly Message[] {
  const messages = withoutSystem(inputMessages(input));
  messages.forEach(({ role }, index) => {
    if (role !== 'user') throw expected(`input[${index}].role`, 'user', role);
  });
  if (messages.length === 0) {
    throw new ConfigurationError('Expected an input, got none', {
      code: 'LOUSHO_CONFIG_MISSING_INPUT',
      field: 'input',
    });
  }
  // What the store would refuse is refused now, not by a save of the run.
  encode(messages, 'input');
  return messages;
}
