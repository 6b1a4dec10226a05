import { type EntryList, entryList } from './entry-list.js';
import { ExplainedSet } from './explained-set.js';
import { effectOf, type LeaseRegister } from './lease-register.js';
import { type History, isUnknown, type RecordedCall } from './recorded-call.js';

/** One way in which a window can have begun or ended: the state, and the calls that may still take effect. */
export interface Standing {
  readonly state: LeaseRegister;
  readonly pending: readonly RecordedCall[];
}

export type Explained =
  /** How it may stand behind the window. Empty: there is no order in which every answer was right. */
  | { readonly isDecided: true; readonly standings: readonly Standing[]; readonly steps: number }
  | { readonly isDecided: false; readonly steps: number };

export interface ExplainOptions {
  /** Give up after so many tried calls. */
  readonly maxSteps: number;
  /** One way is enough: nothing follows the window. */
  readonly isLast: boolean;
}

/**
 * Looks for orders in which each call took effect between its call and its return and every answer was right (Wing and Gong's
 * search with Lowe's list, and a memory of what was tried in vain).
 */
export function explainWindow(
  calls: readonly RecordedCall[],
  from: Standing,
  history: History,
  options: ExplainOptions,
): Explained {
  return new Search(calls, from, history, options).run();
}

interface Step {
  readonly entry: number;
  readonly call: number;
  /** Before the step. */
  readonly state: LeaseRegister;
  /** It changed nothing, so that no other order needs to be tried in its place. */
  readonly isFree: boolean;
}

class Search {
  /** Those with an answer first. */
  readonly #calls: readonly RecordedCall[];
  readonly #answered: number;
  readonly #list: EntryList;
  readonly #explained: ExplainedSet;
  readonly #tried = new Set<string>();
  readonly #standings = new Map<string, Standing>();
  readonly #path: Step[] = [];
  #open: number;
  #state: LeaseRegister;
  #steps = 0;

  constructor(
    calls: readonly RecordedCall[],
    from: Standing,
    readonly history: History,
    readonly options: ExplainOptions,
  ) {
    const answered = calls.filter((call) => !isUnknown(call));
    this.#calls = [...answered, ...from.pending, ...calls.filter(isUnknown)];
    this.#answered = answered.length;
    this.#open = answered.length;
    this.#list = entryList(this.#calls);
    this.#explained = new ExplainedSet(this.#calls.length);
    this.#state = from.state;
  }

  run(): Explained {
    const { maxSteps, isLast } = this.options;
    let from = this.#list.next(0);
    while (this.#steps <= maxSteps) {
      if (this.#open === 0 && isLast) {
        return { isDecided: true, standings: [this.#standing()], steps: this.#steps };
      }
      if (this.#advance(from)) {
        from = this.#list.next(0);
        continue;
      }
      if (this.#open === 0) this.#standings.set(this.#explained.key + this.#state.key, this.#standing());
      const back = this.#stepBack();
      if (back === undefined) {
        return { isDecided: true, standings: [...this.#standings.values()], steps: this.#steps };
      }
      from = this.#list.next(back.entry);
    }
    return { isDecided: false, steps: this.#steps };
  }

  /** Explains one more call, of those from `from` on that came before the first return: a free one if there is one. */
  #advance(from: number): boolean {
    let found: (Step & { readonly next: LeaseRegister }) | undefined;
    for (let entry = from; entry !== this.#list.end; entry = this.#list.next(entry)) {
      const call = this.#list.callOf(entry);
      // A return that is not explained: nothing behind it can have happened before it.
      if (call < 0) break;
      this.#steps += 1;
      const next = effectOf(this.#state, this.#calls[call] as RecordedCall, this.history);
      if (next === null) continue;
      const isFree = next === this.#state;
      // A call without an answer and without an effect explains nothing.
      if (isFree && call >= this.#answered) continue;
      if (isFree) {
        found = { entry, call, state: this.#state, next, isFree };
        break;
      }
      if (!found && this.#isNew(call, next)) found = { entry, call, state: this.#state, next, isFree };
    }
    if (!found) return false;
    this.#explained.add(found.call);
    if (!found.isFree) this.#tried.add(this.#explained.key + found.next.key);
    this.#list.lift(found.entry);
    this.#state = found.next;
    if (found.call < this.#answered) this.#open -= 1;
    this.#path.push(found);
    return true;
  }

  /** Undoes up to the last call in whose place another one may be tried. */
  #stepBack(): Step | undefined {
    for (;;) {
      const step = this.#path.pop();
      if (!step) return undefined;
      this.#explained.remove(step.call);
      this.#list.unlift(step.entry);
      this.#state = step.state;
      if (step.call < this.#answered) this.#open += 1;
      if (!step.isFree) return step;
    }
  }

  #isNew(call: number, next: LeaseRegister): boolean {
    this.#explained.add(call);
    const isNew = !this.#tried.has(this.#explained.key + next.key);
    this.#explained.remove(call);
    return isNew;
  }

  #standing(): Standing {
    const pending = this.#calls.filter((_, index) => index >= this.#answered && !this.#explained.has(index));
    return { state: this.#state, pending };
  }
}
