import { randomUUID } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { LogWrite } from '@lousho/core/contract';
import type { Database } from './database.js';
import { pauseMs } from './database.js';
import { StatementFailure } from './failure.js';
import { findSaves } from './find-saves.js';
import { type SaveRequest, type SaveVerdict, saveStatement, saveText, verdictsOf } from './save-statement.js';

interface Job extends SaveRequest {
  attempts: number;
  /** Set once it was sent without an answer. */
  lost: StatementFailure | undefined;
  /** Together with others it failed for a reason that may be another one's. */
  isAlone: boolean;
  readonly deadline: number;
  readonly resolve: (isSaved: boolean) => void;
  readonly reject: (error: unknown) => void;
}

const MOST_SAVES = 100;
/** Characters of one statement; a bigger save goes alone. */
const MOST_TEXT = 4_000_000;

/**
 * Writes saves on a few lanes: each takes all that wait when it is free and writes them with one statement, so that the server
 * makes the disk wait once for all of them. Saves of one id are never under way together.
 */
export class SaveQueue {
  #waiting: Job[] = [];
  readonly #busyIds = new Set<string>();
  readonly #text: string;
  #lanes = 0;

  constructor(
    readonly database: Database,
    readonly schema: string,
    readonly historyLimit: number,
    readonly lanes: number,
  ) {
    this.#text = saveText(schema);
  }

  /** `false`: fenced, nothing was written. */
  write(write: LogWrite): Promise<boolean> {
    return this.database.track(
      () =>
        new Promise<boolean>((resolve, reject) => {
          const deadline = performance.now() + this.database.deadlineMs;
          // Without a revision the store cannot know which save the caller continues.
          const omitted = write.revision === undefined ? 0 : write.unchangedMessages;
          encodeRows(write, omitted);
          const saveId = randomUUID();
          this.#add({
            write,
            saveId,
            omitted,
            attempts: 0,
            lost: undefined,
            isAlone: false,
            deadline,
            resolve,
            reject,
          });
        }),
    );
  }

  #add(job: Job): void {
    this.#waiting.push(job);
    if (this.#lanes >= this.lanes) return;
    this.#lanes += 1;
    void this.#runLane();
  }

  async #runLane(): Promise<void> {
    // Those that are saved in this turn of the event loop go together.
    await nextTurn();
    for (let batch = this.#take(); batch.length > 0; batch = this.#take()) {
      await this.#send(batch);
      for (const { write } of batch) this.#busyIds.delete(write.sessionId);
    }
    this.#lanes -= 1;
  }

  #take(): Job[] {
    const batch: Job[] = [];
    const rest: Job[] = [];
    let text = 0;
    for (const job of this.#waiting) {
      const size = job.write.head.length + sizeOf(job);
      const fits =
        batch.length < MOST_SAVES && text + size <= MOST_TEXT && !job.isAlone && !batch[0]?.isAlone;
      if (this.#busyIds.has(job.write.sessionId) || (batch.length > 0 && !fits)) {
        rest.push(job);
        continue;
      }
      this.#busyIds.add(job.write.sessionId);
      batch.push(job);
      text += size;
    }
    this.#waiting = rest;
    return batch;
  }

  /** Settles each save, or puts it back to wait for another attempt. */
  async #send(batch: readonly Job[]): Promise<void> {
    for (const job of batch) job.attempts += 1;
    const deadline = Math.max(...batch.map((job) => job.deadline));
    let verdicts: readonly SaveVerdict[];
    try {
      const rows = await this.database.once(saveStatement(this.#text, this.historyLimit, batch), deadline);
      verdicts = verdictsOf(rows);
    } catch (error) {
      await this.#recover(batch, error);
      return;
    }
    batch.forEach((job, index) => {
      this.#settle(job, verdicts[index] as SaveVerdict);
    });
  }

  #settle(job: Job, verdict: SaveVerdict): void {
    if (verdict === 'saved' || verdict === 'repeated') job.resolve(true);
    // A save that was sent before without an answer may have been done while the lease was still held.
    else if (verdict === 'fenced') job.lost ? job.reject(job.lost) : job.resolve(false);
    else if (verdict === 'unvouched') this.#sendAll(job);
    else this.#again(job, pauseMs(job.attempts));
  }

  #sendAll(job: Job): void {
    try {
      encodeRows(job.write, 0);
    } catch (error) {
      job.reject(error);
      return;
    }
    this.#again({ ...job, omitted: 0 }, 0);
  }

  async #recover(batch: readonly Job[], error: unknown): Promise<void> {
    if (!(error instanceof StatementFailure)) {
      for (const job of batch) job.reject(error);
      return;
    }
    if (error.kind === 'lost') return this.#findOut(batch, error);
    for (const job of batch) {
      if (error.kind !== 'refused') this.#again(job, pauseMs(job.attempts), error);
      else if (batch.length === 1) job.reject(job.lost ?? error);
      else {
        job.isAlone = true;
        this.#again(job, 0);
      }
    }
  }

  /** After a lost answer: what is stored is acknowledged; the rest is sent again where the store knows a repeated save. */
  async #findOut(batch: readonly Job[], lost: StatementFailure): Promise<void> {
    for (const job of batch) job.lost = lost;
    const deadline = Math.max(...batch.map((job) => job.deadline));
    const found = await findSaves(this.database, this.schema, batch, deadline).catch(() => new Set<string>());
    for (const job of batch) {
      const isRepeatable = job.write.owner !== undefined && job.write.revision !== undefined;
      if (found.has(job.saveId)) job.resolve(true);
      else if (isRepeatable) this.#again(job, pauseMs(job.attempts));
      else job.reject(lost);
    }
  }

  #again(job: Job, afterMs: number, why?: StatementFailure): void {
    if (performance.now() + afterMs >= job.deadline) {
      job.reject(job.lost ?? why ?? new StatementFailure('conflict', new Error(STALE)));
      return;
    }
    setTimeout(() => this.#add(job), afterMs);
  }
}

const STALE = 'other writers of the same id were faster each time';

/** Before the save meets others: a value that cannot be stored is the fault of this one alone. */
function encodeRows(write: LogWrite, from: number): void {
  for (let index = from; index < write.messageCount; index++) write.row(index);
}

function sizeOf({ write, omitted }: Job): number {
  let size = 0;
  for (let index = omitted; index < write.messageCount; index++) size += write.row(index).length;
  return size;
}
