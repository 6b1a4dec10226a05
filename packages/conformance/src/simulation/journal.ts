import type { Message } from '@lousho/core/contract';
import type { OfferedSave } from '../checkers/chain-check.js';
import type { Operation, RecordedCall } from '../checkers/recorded-call.js';

/** What all clients asked of one id, and what they were answered. */
export class Journal {
  readonly calls = new Map<string, OpenCall[]>();
  readonly offered = new Map<string, OfferedSave[]>();
  readonly seen = new Map<string, (number | null)[]>();
  /** Approvals that were asked for and that nobody is known to have decided. */
  readonly #asked = new Set<string>();
  #onAsked: (() => void) | undefined;
  /** Who waits for the end of a session's run. */
  readonly #ends = new Map<string, () => void>();
  /** Sessions whose run has ended while nobody waited for it. */
  readonly #ended = new Set<string>();
  /** Approvals that are known to be decided. */
  readonly decided = new Set<string>();
  /** Approvals that somebody has tried to approve. */
  readonly approved = new Set<string>();
  /** The transcripts that users were given as the result. */
  readonly told = new Map<string, readonly Message[]>();
  readonly violations: string[] = [];
  #order = 0;
  #numbers = 0;

  constructor(readonly now: () => number) {}

  violate(what: string): void {
    this.violations.push(what);
  }

  /** A number that no other checkpoint of this storage has. */
  nextNumber(): number {
    this.#numbers += 1;
    return this.#numbers;
  }

  begin(sessionId: string, client: string, operation: Operation): OpenCall {
    const call = new OpenCall(client, operation, this.#order++, this.now());
    listOf(this.calls, sessionId).push(call);
    return call;
  }

  end(call: OpenCall, answer: Operation['answer']): void {
    call.end({ ...call.operation, answer } as Operation, this.#order++, this.now());
  }

  sees(sessionId: string, n: number | null): void {
    listOf(this.seen, sessionId).push(n);
  }

  offers(sessionId: string, save: OfferedSave): void {
    listOf(this.offered, sessionId).push(save);
  }

  asks(approvalId: string): void {
    this.#asked.add(approvalId);
    this.#onAsked?.();
  }

  isAnswered(approvalId: string): void {
    this.#asked.delete(approvalId);
  }

  /** Resolves as soon as an approval is waited for. */
  async somethingIsAsked(): Promise<void> {
    if (this.#asked.size > 0) return;
    await new Promise<void>((resolve) => {
      this.#onAsked = resolve;
    });
  }

  /** A run of the session is known to be finished. */
  hasEnded(sessionId: string): void {
    const tell = this.#ends.get(sessionId);
    this.#ends.delete(sessionId);
    if (tell) tell();
    else this.#ended.add(sessionId);
  }

  /** Resolves when a run of the session ends; at once when one has ended since somebody last waited for it. */
  nextEnd(sessionId: string): Promise<void> {
    if (this.#ended.delete(sessionId)) return Promise.resolve();
    return new Promise((resolve) => {
      this.#ends.set(sessionId, resolve);
    });
  }

  /** The position in the order of what happens next. */
  get order(): number {
    return this.#order;
  }
}

/** A call that may still be under way. One that never ends has an unknown answer. */
export class OpenCall implements RecordedCall {
  returnedAt = Number.POSITIVE_INFINITY;
  returnedMs = Number.POSITIVE_INFINITY;

  constructor(
    readonly client: string,
    public operation: Operation,
    readonly calledAt: number,
    readonly calledMs: number,
  ) {}

  end(operation: Operation, returnedAt: number, returnedMs: number): void {
    this.operation = operation;
    this.returnedAt = returnedAt;
    this.returnedMs = returnedMs;
  }
}

export function listOf<T>(lists: Map<string, T[]>, key: string): T[] {
  const known = lists.get(key);
  if (known) return known;
  const fresh: T[] = [];
  lists.set(key, fresh);
  return fresh;
}
