import { type Checkpoint, decode, type LogHead, type PruneResult } from '@lousho/core/contract';
import { type Item, number, text } from './attributes.js';
import type { Call, Key } from './call.js';
import type { CheckpointReader } from './checkpoint-reader.js';
import { incomplete } from './checkpoint-rows.js';
import type { DynamoDBCheckpointLog } from './dynamodb-checkpoint-log.js';
import type { DynamoDBLeases } from './dynamodb-leases.js';
import type { DynamoDBSessionTable } from './dynamodb-session-table.js';
import { type Head, headOf, readHead } from './head-item.js';
import { approvalKey, HEAD, parseRowName } from './item-names.js';
import { textKeys } from './large-text.js';
import { hasHistory, hasSave, type SaveState } from './save-state.js';

export interface PrunerParts {
  readonly begin: (length?: 'long') => Call;
  readonly log: DynamoDBCheckpointLog;
  readonly reader: CheckpointReader;
  readonly leases: DynamoDBLeases;
  readonly sessions: DynamoDBSessionTable;
}

/** How old a row without a record must be to be taken for left over: no save is under way for so long. */
const LEFT_OVER_MS = 24 * 3_600_000;
const DROPPED_AT_ONCE = 100;

/** Removes what nobody needs any more, in one pass over the table. What it removes, it decides on a fresh, consistent read. */
export class Pruner {
  constructor(readonly parts: PrunerParts) {}

  /** Both in wall-clock milliseconds. */
  async prune(savedBefore: number, now: number): Promise<PruneResult> {
    const found = await this.#scan(savedBefore, Math.min(savedBefore, now - LEFT_OVER_MS));
    const needed = await this.#neededByRuns(found.unfinished);
    return {
      checkpoints: await count(found.old, (id) => this.#removeCheckpoint(id, savedBefore)),
      approvals: await count(found.decided, (id) => this.#removeApproval(id, savedBefore, needed.approvals)),
      sessions: await count(found.sessions, async (id) => {
        if (needed.sessions.has(id)) return false;
        return this.parts.sessions.forget(this.parts.begin(), id, savedBefore);
      }),
    };
  }

  async #scan(savedBefore: number, leftOverBefore: number): Promise<Found> {
    const call = this.parts.begin('long');
    const found: Found = { unfinished: [], old: [], decided: [], sessions: [] };
    const leftOvers = new LeftOvers(leftOverBefore);
    // The items of one partition come one after the other, and its record first.
    for await (const item of call.scan({ ConsistentRead: true, ...WITHOUT_TEXTS })) {
      if (text(item, 'sk') === HEAD) sort(item, found, savedBefore);
      leftOvers.see(item);
      if (leftOvers.keys.length >= DROPPED_AT_ONCE) await call.write([], leftOvers.take());
    }
    await call.write([], leftOvers.take());
    return found;
  }

  /** An unfinished run needs the decisions that it waits for, and its conversation's transcript. */
  async #neededByRuns(unfinished: readonly string[]): Promise<Needed> {
    const needed: Needed = { approvals: new Set(), sessions: new Set() };
    const call = this.parts.begin('long');
    for (const sessionId of unfinished) {
      needed.sessions.add(sessionId).add(sessionId.replace(TURN_ENDING, ''));
      const head = await this.#headText(call, sessionId);
      if ('fault' in head) continue;
      const { approvalId, approvalIds = [] } = decode(head.head) as Checkpoint;
      for (const id of approvalIds) needed.approvals.add(id);
      if (approvalId !== undefined) needed.approvals.add(approvalId);
    }
    return needed;
  }

  async #headText(call: Call, sessionId: string): Promise<LogHead> {
    try {
      return { sessionId, head: (await this.parts.reader.latestHead(call, sessionId)) ?? '{}' };
    } catch {
      return { sessionId, fault: incomplete(sessionId, 'its head is missing') };
    }
  }

  /** `false` for a deleted one too: its history goes as well, but was counted by nobody as a checkpoint. */
  async #removeCheckpoint(sessionId: string, savedBefore: number): Promise<boolean> {
    const call = this.parts.begin();
    const head: Head = await readHead(call, sessionId);
    const { state } = head;
    if (!state || !isOld(state, savedBefore) || this.parts.leases.isLive(sessionId, head)) return false;
    const isBuried = await this.parts.log.bury(call, sessionId, head);
    return isBuried && state.status !== null;
  }

  async #removeApproval(id: string, savedBefore: number, needed: ReadonlySet<string>): Promise<boolean> {
    if (needed.has(id)) return false;
    const call = this.parts.begin();
    const record = await call.get(approvalKey(id));
    const decidedAt = record && number(record, 'decidedAt');
    if (!record || decidedAt === undefined || decidedAt >= savedBefore) return false;
    if (!(await call.delete(approvalKey(id), { decidedAt }))) return false;
    await call.write([], [...textKeys(record, 'body'), ...textKeys(record, 'decision')]);
    return true;
  }
}

interface Found {
  readonly unfinished: string[];
  readonly old: string[];
  readonly decided: string[];
  readonly sessions: string[];
}

interface Needed {
  readonly approvals: Set<string>;
  readonly sessions: Set<string>;
}

/** How the checkpoint of a conversation's turn is named after it. */
const TURN_ENDING = /(\.turn-\d+|\.paused)$/;

const NAMES = ['pk', 'sk', 'at', 'state', 'decidedAt', 'savedAt', 'messagesName', 'bodyName', 'decisionName'];
const WITHOUT_TEXTS = {
  ProjectionExpression: NAMES.map((name) => `#${name}`).join(', '),
  ExpressionAttributeNames: Object.fromEntries(NAMES.map((name) => [`#${name}`, name])),
};

function sort(item: Item, found: Found, savedBefore: number): void {
  const pk = text(item, 'pk') ?? '';
  const [kind, id] = [pk.slice(0, 2), pk.slice(2)];
  const decidedAt = number(item, 'decidedAt');
  if (kind === 'a#' && decidedAt !== undefined && decidedAt < savedBefore) found.decided.push(id);
  if (kind === 't#' && (number(item, 'savedAt') ?? savedBefore) < savedBefore) found.sessions.push(id);
  if (kind !== 'c#') return;
  const { state } = headOf(item);
  if (!state) return;
  if (state.status !== null && state.status !== 'finished') found.unfinished.push(id);
  else if (isOld(state, savedBefore)) found.old.push(id);
}

function isOld(state: SaveState, savedBefore: number): boolean {
  const isOver = state.status === 'finished' || (state.status === null && hasHistory(state));
  return isOver && state.savedAt < savedBefore;
}

async function count(ids: readonly string[], remove: (id: string) => Promise<boolean>): Promise<number> {
  let removed = 0;
  for (const id of ids) if (await remove(id)) removed += 1;
  return removed;
}

/** Finds the rows that no save sees: of writers that were too late, of saves that were dropped, of records that are gone. */
class LeftOvers {
  keys: Key[] = [];
  #pk = '';
  #head: Item | undefined;
  /** The newest message so far at the place that is being read: the rows come by place, then by save. */
  #shadow: { index: number; names: Key[] } = { index: -1, names: [] };

  constructor(readonly before: number) {}

  see(item: Item): void {
    const [pk, sk] = [text(item, 'pk') ?? '', text(item, 'sk') ?? ''];
    if (pk !== this.#pk) this.#start(pk, sk === HEAD ? item : undefined);
    if (sk === HEAD) return;
    const isAged = (number(item, 'at') ?? this.before) < this.before;
    const isLeft = pk.startsWith('c#') ? this.#isUnseenRow(sk, { pk, sk }) : isAged && !this.#isNamed(sk);
    if (isLeft === 'when-aged' ? isAged : isLeft) this.keys.push({ pk, sk });
  }

  take(): Key[] {
    const { keys } = this;
    this.keys = [];
    return keys;
  }

  #start(pk: string, head: Item | undefined): void {
    this.#pk = pk;
    this.#head = head;
    this.#shadow = { index: -1, names: [] };
  }

  #isUnseenRow(sk: string, key: Key): boolean | 'when-aged' {
    const row = parseRowName(sk);
    const state = this.#head && headOf(this.#head).state;
    // Without a record a first save may be under way.
    if (!row || !state) return 'when-aged';
    if (row.seq > state.seq) return 'when-aged';
    if (!hasSave(state, row.seq, row.writer)) return true;
    if (row.kind === 'save') return row.seq < state.swept;
    return this.#shadows(row, state, key);
  }

  /** A message that the oldest kept save sees hides the ones before it at its place. */
  #shadows(
    { index, seq, chunk }: { index: number; seq: number; chunk: number },
    state: SaveState,
    key: Key,
  ): false {
    if (this.#shadow.index !== index) this.#shadow = { index, names: [] };
    if (chunk === 0 && seq <= state.oldest) {
      this.keys.push(...this.#shadow.names);
      this.#shadow.names = [];
    }
    this.#shadow.names.push(key);
    return false;
  }

  #isNamed(sk: string): boolean {
    const head = this.#head;
    if (!head) return false;
    return ['messagesName', 'bodyName', 'decisionName'].some((field) => {
      const name = text(head, field);
      return name !== undefined && sk.startsWith(`x#${name}#`);
    });
  }
}
