import type {
  CheckpointLog,
  Lease,
  LeaseHolder,
  LeaseRef,
  LogHead,
  LogPage,
  LogRecord,
  LogWrite,
  StoredRows,
} from '@lousho/core/contract';
import { text } from './attributes.js';
import type { Call, Key } from './call.js';
import { type CheckpointReader, storedTexts } from './checkpoint-reader.js';
import type { DynamoDBLeases } from './dynamodb-leases.js';
import { type Head, headOf, LEASE_ATTRIBUTES, ownerText, readHead } from './head-item.js';
import { checkpointKey } from './item-names.js';
import { KnownHeads } from './known-heads.js';
import { isDueForFullWrite, planSave, type SavePlan } from './plan-save.js';
import { buried, hasHistory, hasSave, type SaveState, withoutLatest } from './save-state.js';
import { scannedIds } from './scanned-ids.js';
import { sweepAll, sweepCuts } from './sweeper.js';

export interface CheckpointLogParts {
  readonly begin: (length?: 'long') => Call;
  readonly reader: CheckpointReader;
  readonly leases: DynamoDBLeases;
  readonly historyLimit: number;
  readonly retentionSeconds: number | undefined;
  /** Runs what need not be waited for; its failure is left to a prune. */
  readonly later: (work: () => Promise<void>) => void;
}

const RENEWED_AT_ONCE = 16;

/** Checkpoints as immutable rows and one head item per id, which a save replaces in one conditional write. */
export class DynamoDBCheckpointLog implements CheckpointLog {
  readonly #known = new KnownHeads();

  constructor(readonly parts: CheckpointLogParts) {}

  async write(write: LogWrite): Promise<boolean> {
    const call = this.parts.begin();
    const { sessionId } = write;
    let head = this.#known.headFor(write) ?? (await readHead(call, sessionId));
    for (let conflicts = 1; ; conflicts++) {
      const verdict = judge(write, head);
      if (verdict !== 'store') return verdict === 'repeated';
      const plan = await this.#plan(call, write, head);
      await call.write(plan.puts, plan.deletes);
      if (await this.#commit(call, write, head, plan)) {
        this.#remember(write, head, plan);
        return true;
      }
      head = await readHead(call, sessionId);
      // The commit may have been made by a request whose reply was lost.
      if (hasSave(head.state, plan.after.seq, plan.writer)) return true;
      this.#discard(plan);
      if (judge(write, head) === 'store') await call.pauseAfterConflict(conflicts);
    }
  }

  read(sessionId: string): Promise<LogRecord | null> {
    return this.parts.reader.read(this.parts.begin(), sessionId);
  }

  heads(page: LogPage): Promise<readonly LogHead[]> {
    return this.parts.reader.heads(this.parts.begin('long'), page);
  }

  /** An id that is only leased has none. */
  ids(): Promise<readonly string[]> {
    return scannedIds(this.parts.begin('long'), 'c#', (item) => {
      const { state } = headOf(item);
      return state !== null && (state.status !== null || hasHistory(state));
    });
  }

  history(sessionId: string, limit: number): Promise<readonly LogRecord[]> {
    return this.parts.reader.history(this.parts.begin(), sessionId, limit);
  }

  async delete(sessionId: string, keepHistory: boolean): Promise<void> {
    const call = this.parts.begin();
    this.#known.forget(sessionId);
    for (let conflicts = 1; ; conflicts++) {
      const head = await readHead(call, sessionId);
      if (!head.exists) return;
      const after = stateAfterDelete(head.state, keepHistory && this.parts.historyLimit > 0);
      const change = {
        set: after ? { state: JSON.stringify(after) } : {},
        remove: [...LEASE_ATTRIBUTES, 'l', 'k', 'x'],
      };
      const isDone = await call.update(checkpointKey(sessionId), change, { state: head.stateText });
      if (isDone !== false) {
        this.parts.leases.watch.forget(sessionId);
        if (after && !hasHistory(after)) await sweepAll(call, sessionId, after.seq);
        return;
      }
      await call.pauseAfterConflict(conflicts);
    }
  }

  async acquireLease(sessionId: string, owner: string, ttlMs: number): Promise<false | Lease> {
    return this.parts.leases.acquire(this.parts.begin(), sessionId, owner, ttlMs);
  }

  async renewLeases(leases: readonly LeaseRef[], ttlMs: number): Promise<readonly boolean[]> {
    const call = this.parts.begin();
    const answers: boolean[] = [];
    for (let at = 0; at < leases.length; at += RENEWED_AT_ONCE) {
      const some = leases.slice(at, at + RENEWED_AT_ONCE);
      const renewed = some.map(({ sessionId, owner }) =>
        this.parts.leases.renew(call, sessionId, owner, ttlMs),
      );
      answers.push(...(await Promise.all(renewed)));
    }
    return answers;
  }

  async releaseLease(sessionId: string, owner: string): Promise<void> {
    this.#known.forget(sessionId);
    await this.parts.leases.release(this.parts.begin(), sessionId, owner);
  }

  readLease(sessionId: string): Promise<LeaseHolder | null> {
    return this.parts.leases.read(this.parts.begin(), sessionId);
  }

  /** Ends a finished id for a prune, if nothing has changed since it was read. */
  async bury(call: Call, sessionId: string, head: Head): Promise<boolean> {
    const after = buried(head.state);
    const change = {
      set: { state: JSON.stringify(after) },
      remove: [...LEASE_ATTRIBUTES, 'l', 'k', 'x'],
    };
    const { lease, stateText } = head;
    const unchanged = lease
      ? { state: stateText, owner: ownerText(lease.owner), epoch: lease.epoch, beat: lease.beat }
      : { state: stateText, owner: null };
    if ((await call.update(checkpointKey(sessionId), change, unchanged)) === false) return false;
    this.#known.forget(sessionId);
    await sweepAll(call, sessionId, after.seq);
    return true;
  }

  async #plan(call: Call, write: LogWrite, { state, lease }: Head): Promise<SavePlan> {
    const { sessionId, owner } = write;
    return planSave({
      write,
      before: state,
      stored: await this.#stored(call, write, state),
      epoch: owner === undefined ? null : (lease?.epoch ?? null),
      writer: this.#known.writerFor(sessionId, (state?.seq ?? 0) + 1),
      historyLimit: this.parts.historyLimit,
    });
  }

  /** Reads messages only where the save may hold them again: what the caller vouches for, and what is new, is not compared. */
  async #stored(call: Call, write: LogWrite, state: SaveState | null): Promise<StoredRows | null> {
    if (!state || state.status === null || isDueForFullWrite(state)) return null;
    const revision = state.revision ?? undefined;
    const continues = revision !== undefined && write.revision === revision + 1;
    const from = continues ? Math.min(write.unchangedMessages, state.count) : 0;
    const isCompared = from < Math.min(state.count, write.messageCount);
    const texts = isCompared
      ? await storedTexts(call, write.sessionId, state, from)
      : new Map<number, string>();
    return { revision, count: state.count, row: (index) => texts.get(index) ?? '' };
  }

  async #commit(call: Call, write: LogWrite, head: Head, { after }: SavePlan): Promise<boolean> {
    const { retentionSeconds } = this.parts;
    const isFinished = write.status === 'finished';
    const set = { state: JSON.stringify(after), l: isFinished ? 'f' : 'p', k: write.sessionId };
    const expiresAt = Math.ceil(write.savedAt / 1_000) + (retentionSeconds ?? 0);
    const change =
      isFinished && retentionSeconds !== undefined
        ? { set: { ...set, x: expiresAt } }
        : { set, remove: ['x'] };
    const lease = write.owner !== undefined && head.lease;
    const conditions = {
      state: head.stateText,
      ...(lease && { owner: ownerText(lease.owner), epoch: lease.epoch }),
    };
    return (await call.update(checkpointKey(write.sessionId), change, conditions)) !== false;
  }

  #remember(write: LogWrite, head: Head, { after, settled }: SavePlan): void {
    const { sessionId } = write;
    this.parts.leases.hasSaved(sessionId);
    this.#known.remember(write, { ...head, exists: true, state: after, stateText: JSON.stringify(after) });
    if (settled.length > 0) this.parts.later(() => sweepCuts(this.parts.begin(), sessionId, settled));
  }

  /** The rows of a save that was not made: nobody sees them, and nobody else writes under their names. */
  #discard({ puts }: SavePlan): void {
    const keys: Key[] = puts.map((put) => ({ pk: text(put, 'pk') ?? '', sk: text(put, 'sk') ?? '' }));
    this.parts.later(() => this.parts.begin().write([], keys));
  }
}

function judge(write: LogWrite, { state, lease }: Head): 'store' | 'fenced' | 'repeated' {
  if (write.owner === undefined) return 'store';
  if (lease?.owner !== write.owner) return 'fenced';
  return isRepeat(write, lease.epoch, state) ? 'repeated' : 'store';
}

/** An epoch is given to one owner once, so the same epoch means the same lease. */
function isRepeat({ revision }: LogWrite, epoch: number, state: SaveState | null): boolean {
  if (revision === undefined || !state || state.status === null || state.revision === null) return false;
  return state.epoch === epoch && revision <= state.revision;
}

/** `null`: there is no state to change. */
function stateAfterDelete(state: SaveState | null, keepHistory: boolean): SaveState | null {
  if (!state) return null;
  return keepHistory && hasHistory(state) ? withoutLatest(state) : buried(state);
}
