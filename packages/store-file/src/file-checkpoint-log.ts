import {
  type ChangedRow,
  type CheckpointLog,
  changedRows,
  isoTime,
  type Lease,
  type LeaseHolder,
  type LeaseRef,
  type LogHead,
  type LogPage,
  type LogRecord,
  type LogWrite,
} from '@lousho/core/contract';
import type { HostClock } from '@lousho/core/node';
import type { DeleteRecord, SaveRecord } from './checkpoint-records.js';
import { type CheckpointState, isEmpty, type SavedHead, savesNewestFirst } from './checkpoint-state.js';
import type { FloorLog } from './floor-log.js';
import type { LeaseBook } from './lease-book.js';
import type { LeaseJudge } from './lease-judge.js';
import { idsWith, listIds } from './list-ids.js';
import type { Decision, LogCollection } from './log-collection.js';
import { DamagedLogError } from './log-errors.js';

export interface FileCheckpointLogParts {
  readonly logs: LogCollection<CheckpointState>;
  readonly floor: FloorLog;
  readonly leases: LeaseBook;
  readonly judge: LeaseJudge;
  readonly clock: HostClock;
  readonly historyLimit: number;
}

/** Numbers that an unreadable part of a log may have given out beyond those that can be read. */
const UNREADABLE_MARGIN = 1_000;

export class FileCheckpointLog implements CheckpointLog {
  constructor(readonly parts: FileCheckpointLogParts) {}

  async write(write: LogWrite): Promise<boolean> {
    const access = write.owner === undefined ? 'create' : 'write';
    const decide = (state: CheckpointState) => decideSave(state, write, this.parts.historyLimit);
    return (await this.parts.logs.transact(write.sessionId, access, decide)) ?? false;
  }

  async read(sessionId: string): Promise<LogRecord | null> {
    const record = await this.parts.logs.read(sessionId, ({ head, rows }) =>
      head ? { head: head.text, rows: rows.map(({ text }) => text), savedAt: head.savedAt } : null,
    );
    return record ?? null;
  }

  async heads({ statuses, after, limit = Number.POSITIVE_INFINITY }: LogPage): Promise<readonly LogHead[]> {
    const heads: LogHead[] = [];
    for await (const sessionId of listIds(this.parts.logs, after)) {
      if (heads.length >= limit) break;
      const head = await this.#head(sessionId, statuses);
      if (head) heads.push(head);
    }
    return heads;
  }

  ids(): Promise<readonly string[]> {
    return idsWith(this.parts.logs, ({ head, history }) => head !== null || history.length > 0);
  }

  async history(sessionId: string, limit: number): Promise<readonly LogRecord[]> {
    const records = await this.parts.logs.read(sessionId, (state) => {
      const found: LogRecord[] = [];
      for (const { head, rows } of savesNewestFirst(state)) {
        if (found.push({ head: head.text, rows, savedAt: head.savedAt }) >= limit) break;
      }
      return found;
    });
    return records ?? [];
  }

  async delete(sessionId: string, keepHistory: boolean): Promise<void> {
    try {
      const isLeft = await this.parts.logs.transact(sessionId, 'write', (state) =>
        decideDelete(state, keepHistory, this.parts.clock.now()),
      );
      if (isLeft === 'nothing') this.#purgeLater(sessionId);
    } catch (error) {
      if (!(error instanceof DamagedLogError)) throw error;
      // Nobody can read or continue it, so deleting it is the way to start over.
      await this.parts.floor.raise(error.highest + UNREADABLE_MARGIN);
      if (!(await this.parts.logs.discard(sessionId))) await this.delete(sessionId, keepHistory);
    }
  }

  async acquireLease(sessionId: string, owner: string, ttlMs: number): Promise<false | Lease> {
    return this.parts.leases.acquire(sessionId, owner, ttlMs);
  }

  renewLeases(leases: readonly LeaseRef[], ttlMs: number): Promise<readonly boolean[]> {
    return this.parts.leases.renew(leases, ttlMs);
  }

  releaseLease(sessionId: string, owner: string): Promise<void> {
    return this.parts.leases.release(sessionId, owner);
  }

  async readLease(sessionId: string): Promise<LeaseHolder | null> {
    const lease = await this.parts.logs.read(sessionId, (state) => state.lease);
    if (!lease || this.parts.judge.takeable(lease) !== null) return null;
    return {
      owner: lease.owner,
      epoch: lease.epoch,
      host: lease.holder.host,
      pid: lease.holder.pid,
      since: isoTime(lease.since),
      takeableAt: isoTime(this.parts.judge.takeableAt(lease)),
    };
  }

  /** Removes an id's log if nothing is left in it, after making sure that no later log of the id gives out its epochs again. */
  async purge(
    sessionId: string,
    isPurgeable: (state: CheckpointState) => boolean = isEmpty,
  ): Promise<boolean> {
    const epoch = await this.parts.logs.read(sessionId, (state) => (isPurgeable(state) ? state.epoch : -1));
    if (epoch === undefined || epoch < 0) return false;
    await this.parts.floor.raise(epoch);
    return this.parts.logs.purge(sessionId, (state) => state.epoch === epoch && isPurgeable(state));
  }

  #purgeLater(sessionId: string): void {
    // Behind the delete that is answered now; what fails here is left to prune().
    this.parts.logs.parts.background.start(() => this.purge(sessionId));
  }

  async #head(sessionId: string, statuses: LogPage['statuses']): Promise<LogHead | undefined> {
    const isAsked = (status: 'in-progress' | 'awaiting-approval' | 'finished') =>
      statuses?.includes(status) ?? true;
    try {
      return await this.parts.logs.glance(sessionId, ({ head }) =>
        head && isAsked(head.status) ? { sessionId, head: head.text } : undefined,
      );
    } catch (fault) {
      if (!(fault instanceof DamagedLogError)) throw fault;
      return isAsked('in-progress') ? { sessionId, fault } : undefined;
    }
  }
}

function decideSave(state: CheckpointState, write: LogWrite, keep: number): Decision<boolean> {
  const { head, lease } = state;
  const isFenced = write.owner !== undefined;
  if (isFenced && lease?.owner !== write.owner) return { answer: false };
  const epoch = isFenced ? (lease?.epoch ?? null) : null;
  if (head && epoch !== null && isRepeated(write, head, epoch)) return { answer: true };
  const rows = changedRows(write, head && storedRows(state));
  return {
    answer: true,
    append: { fields: saveRecord(state, write, { epoch, keep, rows }), texts: texts(write, rows) },
  };
}

/** Saved under this lease already, by this very save or by later ones. */
function isRepeated({ revision }: LogWrite, head: SavedHead, epoch: number): boolean {
  if (revision === undefined || head.revision === null || head.epoch !== epoch) return false;
  return revision <= head.revision;
}

function storedRows({ head, rows }: CheckpointState) {
  return {
    revision: head?.revision ?? undefined,
    count: rows.length,
    row: (index: number) => rows[index]!.text,
  };
}

function saveRecord(
  state: CheckpointState,
  write: LogWrite,
  facts: { epoch: number | null; keep: number; rows: readonly ChangedRow[] },
): SaveRecord {
  return {
    k: 'save',
    seq: state.seq + 1,
    revision: write.revision ?? null,
    status: write.status,
    step: write.step,
    savedAt: write.savedAt,
    count: write.messageCount,
    rows: facts.rows.map(({ index }) => index),
    epoch: facts.epoch,
    keep: facts.keep,
  };
}

function texts(write: LogWrite, rows: readonly ChangedRow[]): string[] {
  return [write.head, ...rows.map(({ text }) => text)];
}

function decideDelete(
  state: CheckpointState,
  keepHistory: boolean,
  deletedAt: number,
): Decision<'nothing' | 'history'> {
  const isLeft = keepHistory && state.history.length > 0 ? 'history' : 'nothing';
  const isDone = state.head === null && state.lease === null && (keepHistory || state.history.length === 0);
  if (isDone) return { answer: isLeft };
  const record: DeleteRecord = { k: 'delete', seq: state.seq + 1, keepHistory, deletedAt };
  return { answer: isLeft, append: { fields: record, texts: [] } };
}
