import type {
  AcquireRecord,
  CheckpointLogRecord,
  DeleteRecord,
  RenewRecord,
  SaveRecord,
} from './checkpoint-records.js';
import { restoreCheckpoint, snapshotCheckpoint } from './checkpoint-snapshot.js';
import {
  type CheckpointState,
  dropUnseen,
  emptyCheckpoint,
  endRow,
  type SavedHead,
  trimHistory,
} from './checkpoint-state.js';
import type { Fold } from './fold.js';

/** About what a row, a head and a lease take in a snapshot beside their texts. */
const ROW_BYTES = 12;
const HEAD_BYTES = 120;
const LEASE_BYTES = 700;

export const checkpointFold: Fold<CheckpointState> = {
  noun: 'checkpoint',
  empty: emptyCheckpoint,
  apply: (state, entry) => apply(state, entry.fields as unknown as CheckpointLogRecord, entry.texts),
  snapshot: snapshotCheckpoint,
  restore: restoreCheckpoint,
  size: ({ textBytes, rows, past, history }) =>
    textBytes + ROW_BYTES * (rows.length + past.length) + HEAD_BYTES * (history.length + 1) + LEASE_BYTES,
  revision: ({ head }) => head?.revision ?? undefined,
  highest: ({ epoch }) => epoch,
};

function apply(
  state: CheckpointState,
  record: CheckpointLogRecord,
  texts: readonly string[],
): string | undefined {
  switch (record.k) {
    case 'save':
      return save(state, record, texts);
    case 'acquire':
      return acquire(state, record);
    case 'renew':
      return renew(state, record);
    case 'release':
      if (!isHeld(state, record.epoch)) return 'its epoch is not the holder';
      state.lease = null;
      return undefined;
    case 'delete':
      return remove(state, record);
    default:
      record satisfies never;
      return 'unknown kind of record';
  }
}

function save(state: CheckpointState, record: SaveRecord, texts: readonly string[]): string | undefined {
  const { seq, revision, status, step, savedAt, count, epoch } = record;
  const fault = saveFault(state, record, texts);
  if (fault) return fault;
  const [text, ...changed] = texts as [string, ...string[]];
  if (state.head && state.history.at(-1) !== state.head)
    state.textBytes -= Buffer.byteLength(state.head.text);
  for (let index = count; index < state.rows.length; index++) endRow(state, index, seq);
  state.rows.length = Math.min(state.rows.length, count);
  for (const [at, index] of record.rows.entries()) {
    if (index < state.rows.length) endRow(state, index, seq);
    state.rows[index] = { from: seq, text: changed[at]! };
  }
  const head: SavedHead = { seq, revision, status, step, savedAt, count, epoch, text };
  state.seq = seq;
  state.head = head;
  state.deletedAt = null;
  state.history.push(head);
  for (const each of texts) state.textBytes += Buffer.byteLength(each);
  trimHistory(state, record.keep);
  dropUnseen(state);
  return undefined;
}

function saveFault(state: CheckpointState, record: SaveRecord, texts: readonly string[]): string | undefined {
  if (record.seq !== state.seq + 1) return `save ${record.seq} follows ${state.seq}`;
  if (record.epoch !== null && !isHeld(state, record.epoch)) return 'its epoch is not the holder';
  if (texts.length !== record.rows.length + 1) return 'texts are missing';
  let length = Math.min(state.rows.length, record.count);
  for (const index of record.rows) {
    if (index > length || index >= record.count) return `message ${index} leaves a gap`;
    if (index === length) length++;
  }
  return length === record.count ? undefined : `only ${length} of ${record.count} messages are there`;
}

function acquire(state: CheckpointState, record: AcquireRecord): string | undefined {
  const { k: _, because, ...lease } = record;
  if (lease.epoch <= state.epoch) return `epoch ${lease.epoch} follows ${state.epoch}`;
  if (because === 'free' && state.lease) return 'it is not free';
  state.lease = lease;
  state.epoch = lease.epoch;
  return undefined;
}

function renew(state: CheckpointState, record: RenewRecord): string | undefined {
  const { lease } = state;
  if (!lease || lease.epoch !== record.epoch) return 'its epoch is not the holder';
  const { ttlMs, term, beat } = record;
  state.lease = { ...lease, ttlMs, term, beat };
  return undefined;
}

function remove(state: CheckpointState, record: DeleteRecord): string | undefined {
  const { seq, keepHistory, deletedAt } = record;
  if (seq !== state.seq + 1) return `delete ${seq} follows ${state.seq}`;
  if (state.head && state.history.at(-1) !== state.head)
    state.textBytes -= Buffer.byteLength(state.head.text);
  for (let index = 0; index < state.rows.length; index++) endRow(state, index, seq);
  state.seq = seq;
  state.rows = [];
  state.head = null;
  state.lease = null;
  state.deletedAt = deletedAt;
  if (!keepHistory) trimHistory(state, 0);
  dropUnseen(state);
  return undefined;
}

function isHeld(state: CheckpointState, epoch: number): boolean {
  return state.lease?.epoch === epoch;
}
