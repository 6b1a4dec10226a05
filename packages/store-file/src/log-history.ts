import { SDKError } from '@lousho/core/contract';
import type { Fold } from './fold.js';
import { DamagedLogError } from './log-errors.js';
import { decodeLine, type Entry } from './record-line.js';

export const FORMAT = 1;
const LINE_FEED = 10;

export interface LogHistoryParts<S> {
  readonly fold: Fold<S>;
  readonly id: string;
  /** Of the file, for messages. */
  readonly path: string;
  readonly generation: number;
}

/** A point in a log that a record can continue: anything written behind it since makes the record void. */
export interface Basis {
  readonly size: number;
  readonly isTorn: boolean;
  readonly lastNonce: string;
}

/**
 * What the bytes of one file of a log add up to. A record is valid if its checksum holds and it stands exactly where its writer's
 * fold ended, behind the record that its writer saw last; every other line is void for everybody.
 */
export class LogHistory<S> {
  /** Up to where the file is known to be on disk. */
  syncedTo = 0;
  /** Bytes of the first record. */
  snapshotBytes = 0;
  sealed: { readonly next: string | null } | undefined;

  #state: S | undefined;
  #birth = '';
  #size = 0;
  #offset = 0;
  #isTorn = false;
  #lastNonce = '-';
  #end = 0;
  #expected: string | undefined;

  constructor(readonly parts: LogHistoryParts<S>) {}

  get state(): S {
    this.assertStarted();
    return this.#state as S;
  }

  /** Names this incarnation of the id: another one after each purge. */
  get birth(): string {
    return this.#birth;
  }

  /** Bytes that were folded or are void. */
  get size(): number {
    return this.#size;
  }

  /** Where the bytes to fold next start: before a tail that is not complete yet. */
  get offset(): number {
    return this.#offset;
  }

  /** The end of the last valid record. */
  get end(): number {
    return this.#end;
  }

  get basis(): Basis {
    return { size: this.#size, isTorn: this.#isTorn, lastNonce: this.#lastNonce };
  }

  /** Refuses a file whose snapshot cannot be read. */
  assertStarted(): void {
    if (this.#state === undefined) throw this.damaged(0, 'the file has no readable snapshot');
  }

  /** From now on `hasAccepted` tells whether this record was found valid. */
  expect(nonce: string): void {
    this.#expected = nonce;
  }

  get hasAccepted(): boolean {
    return this.#expected === undefined;
  }

  /** Folds the bytes from `offset` to the end of the file. */
  fold(bytes: Buffer): void {
    const base = this.#offset;
    this.#size = base + bytes.length;
    let start = 0;
    while (start < bytes.length) {
      const feed = bytes.indexOf(LINE_FEED, start);
      const stop = feed < 0 ? bytes.length : feed;
      const isComplete = this.#foldLine(bytes.subarray(start, stop), base + start);
      if (feed < 0) {
        // A record that lacks only its line feed is complete: its checksum says so. Any other tail is read again later.
        this.#isTorn = true;
        if (isComplete) this.#offset = base + bytes.length;
        return;
      }
      start = stop + 1;
      this.#offset = base + start;
      this.#isTorn = false;
    }
  }

  damaged(offset: number, reason: string): DamagedLogError {
    const { fold, id, path } = this.parts;
    const state = this.#state ?? fold.empty();
    const readable = { newestRevision: fold.revision(state), highest: fold.highest(state) };
    return new DamagedLogError({ id, noun: fold.noun, path, offset }, reason, readable);
  }

  #foldLine(line: Buffer, offset: number): boolean {
    const entry = decodeLine(line);
    if (entry === null) return false;
    const { g, at, pv, s, n } = entry.fields;
    const isLostRace = at !== offset || g !== this.parts.generation;
    if (isLostRace) return true;
    if (pv !== this.#lastNonce) {
      // Its predecessor is missing. Bytes that were never synced may vanish in a power cut; synced ones may not.
      if ((s as number) > this.#end) throw this.damaged(this.#end, 'bytes that were synced are damaged');
      return true;
    }
    this.#accept(entry, offset);
    this.#lastNonce = n as string;
    if (n === this.#expected) this.#expected = undefined;
    this.#end = offset + line.length;
    this.syncedTo = Math.max(this.syncedTo, Math.min(s as number, this.#end));
    if (offset === 0) this.snapshotBytes = line.length;
    return true;
  }

  #accept(entry: Entry<Record<string, unknown>>, offset: number): void {
    const { k, next } = entry.fields;
    // No writer appends an illegal record, so one is damage and never a lost race.
    if (this.sealed) throw this.damaged(offset, 'a record follows the seal');
    if (offset === 0 || k === 'snap') {
      if (offset !== 0 || k !== 'snap') throw this.damaged(offset, 'the snapshot is not the first record');
      this.#restore(entry);
    } else if (k === 'seal') {
      this.sealed = { next: (next ?? null) as string | null };
    } else {
      const fault = this.parts.fold.apply(this.state, entry);
      if (fault !== undefined) throw this.damaged(offset, `${String(k)} is illegal here: ${fault}`);
    }
  }

  #restore(entry: Entry<Record<string, unknown>>): void {
    const { v, id, birth } = entry.fields;
    const { fold, path } = this.parts;
    if (v !== FORMAT) {
      throw new SDKError(
        'LOUSHO_STORAGE_INCOMPATIBLE',
        `${path}: expected format ${FORMAT}, got ${String(v)}`,
      );
    }
    if (id !== this.parts.id) throw this.damaged(0, `it belongs to ${fold.noun} ${String(id)}`);
    this.#birth = birth as string;
    this.#state = fold.restore(entry);
  }
}
