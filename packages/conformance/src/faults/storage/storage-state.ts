import type { ApprovalDecision, ApprovalRecord, Checkpoint, Message } from '@lousho/core/contract';
import type { Client } from '../../world/client.js';

/** Everything in a storage that outlives a process and is not a lease. Plain JSON. */
export interface StorageState {
  readonly checkpoints: Readonly<Record<string, Checkpoint>>;
  /** Newest first. */
  readonly histories: Readonly<Record<string, readonly Checkpoint[]>>;
  readonly approvals: Readonly<Record<string, ApprovalRecord>>;
  readonly sessions: Readonly<Record<string, readonly Message[]>>;
}

/** Which ids to look at; what is listed beside them shows as well. */
export interface Ids {
  readonly checkpoints: readonly string[];
  readonly approvals: readonly string[];
  readonly sessions: readonly string[];
}

export const EMPTY_STATE: StorageState = { checkpoints: {}, histories: {}, approvals: {}, sessions: {} };

/** Reads all of it through a client. A listing that says other than a load is written down as such, so that it equals no state. */
export async function observe(client: Partial<Client>, ids: Ids): Promise<StorageState> {
  const { checkpoints, approvals, sessions } = client;
  const listed = checkpoints?.list ? await checkpoints.list() : undefined;
  const named = listed?.map(({ sessionId }) => sessionId) ?? [];
  const seen: Record<string, Checkpoint> = {};
  const histories: Record<string, readonly Checkpoint[]> = {};
  for (const id of new Set([...ids.checkpoints, ...named])) {
    const loaded = await checkpoints?.load(id);
    if (loaded) seen[id] = loaded;
    if (listed && named.includes(id) !== Boolean(loaded))
      seen[`${id} is ${loaded ? 'not ' : ''}listed`] = loaded as Checkpoint;
    const history = (await checkpoints?.history?.(id)) ?? [];
    if (history.length > 0) histories[id] = history.map(({ checkpoint }) => checkpoint);
  }
  const pending = (await approvals?.list())?.map(({ id }) => id) ?? [];
  const asked: Record<string, ApprovalRecord> = {};
  for (const id of new Set([...ids.approvals, ...pending])) {
    const record = await approvals?.load(id);
    if (record) asked[id] = record;
  }
  const transcripts: Record<string, readonly Message[]> = {};
  for (const id of sessions ? ids.sessions : []) {
    const record = await sessions?.load(id);
    if (record) transcripts[id] = record.messages;
  }
  return { checkpoints: seen, histories, approvals: asked, sessions: transcripts };
}

/** A state's few words: which revisions and decisions there are. */
export function describeState(state: StorageState): string {
  const revisions = (list: readonly Checkpoint[]) => list.map(({ revision }) => revision ?? '?').join(',');
  const checkpoints = Object.entries(state.checkpoints).map(
    ([id, { revision }]) => `${id}@${revision ?? '?'}`,
  );
  const histories = Object.entries(state.histories).map(([id, list]) => `${id}[${revisions(list)}]`);
  const decided = ({ decision }: { decision?: ApprovalDecision }) => (decision ? 'decided' : 'undecided');
  const approvals = Object.entries(state.approvals).map(([id, record]) => `${id} ${decided(record)}`);
  const sessions = Object.entries(state.sessions).map(([id, list]) => `${id} of ${list.length}`);
  return [...checkpoints, ...histories, ...approvals, ...sessions].join(' ') || 'nothing';
}
