import { follow } from './linked-signal.js';

/** The model call that is going on, as far as a steer is concerned. */
export class ModelCall {
  /** Fires when the run is stopped, or a steer takes the call's place. */
  readonly signal: AbortSignal;
  wasAsked = false;
  /** Somebody has been told a part of the answer: it is not taken back. */
  wasHeard = false;
  /** Resolves when the steer that took its place has been dealt with. */
  steered: Promise<void> | undefined;
  /** One for each call: clients leave listeners on the signal, and Node warns of a signal with many. */
  readonly #controller = new AbortController();
  readonly #dispose: () => void;
  #isSettled = false;

  constructor(stop: AbortSignal) {
    this.signal = this.#controller.signal;
    this.#dispose = follow(this.#controller, [stop]);
  }

  get isSteered(): boolean {
    return this.steered !== undefined;
  }

  get maySteer(): boolean {
    return !this.#isSettled && !this.wasHeard && !this.signal.aborted;
  }

  steer(steered: Promise<void>): void {
    this.steered = steered;
    this.#controller.abort(new DOMException(REASON, 'AbortError'));
  }

  /** The answer is there, or there will be none. */
  settle(): void {
    this.#isSettled = true;
    this.#dispose();
  }
}

const REASON = 'new input took the place of this model call';
