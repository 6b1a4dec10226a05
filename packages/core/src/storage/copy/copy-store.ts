import { owner } from '../../contract/checks.js';
import {
  type AgentStore,
  ConfigurationError,
  expected,
  guardCheckpointStore,
  outermostLeadOf,
  SDKError,
} from '../../contract/index.js';
import { copyApproval } from './copy-approval.js';
import type { Copy, CopyOptions, CopyOutcome, CopyReport } from './copy-options.js';
import { copyRun, type Family } from './copy-run.js';
import { copySession } from './copy-session.js';
import { CopyTally } from './copy-tally.js';

const PARTS = ['checkpoints', 'approvals', 'sessions'] as const;
const UNREADABLE: ReadonlySet<string> = new Set([
  'LOUSHO_CHECKPOINT_CORRUPT',
  'LOUSHO_RECORD_NOT_ENCRYPTED',
  'LOUSHO_RECORD_TAMPERED',
  'LOUSHO_RECORD_TRUNCATED',
  'LOUSHO_RECORD_KEY_UNKNOWN',
  'LOUSHO_STORAGE_INCOMPATIBLE',
]);

/**
 * Copies runs with their kept history, approvals and transcripts from one store to another, and reads each back. What the target has
 * already is passed over, so that a copy that was interrupted anywhere is finished by calling it again. Nothing newer in the target is
 * overwritten; nothing is copied whose lease somebody holds. Whatever was copied is closed at the source, unless `source` is `'keep'`.
 *
 * Rejects with `LOUSHO_CONFIG_INVALID` when a store cannot be a source or a target, with `LOUSHO_COPY_DIFFERS` when the target gives
 * back something else than was written, and with what the stores reject with.
 */
export async function copyStore(
  from: AgentStore,
  to: AgentStore,
  options: CopyOptions = {},
): Promise<CopyReport> {
  const copy = prepared(from, to, options);
  const tally = new CopyTally(options.onRecord);
  const { checkpoints, approvals, sessions } = copy.from;
  for (const family of familiesOf((await checkpoints?.ids?.()) ?? [])) {
    await together(tally, 'checkpoint', [family.id, ...family.tasks], async () => {
      if (!checkpoints || !copy.to.checkpoints) return;
      for (const run of await copyRun(copy, checkpoints, copy.to.checkpoints, family)) {
        tally.historyEntries += run.historyEntries;
        for (const approvalId of run.approvals) tally.count('approval', approvalId, 'copied');
        tally.count('checkpoint', run.id, run.outcome);
      }
    });
  }
  for (const id of (await sessions?.ids?.()) ?? []) {
    await one(tally, 'session', id, async () =>
      sessions && copy.to.sessions
        ? copySession({ copy, from: sessions, to: copy.to.sessions, id })
        : 'unchanged',
    );
  }
  // Last: those of runs went with them, and one that is still here belongs to no run that could be copied.
  for (const id of (await approvals?.ids?.()) ?? []) {
    await one(tally, 'approval', id, () => copyApproval(copy, id));
  }
  return tally.report();
}

/** A lead and its sub-agents' records go together: without them it would give its tasks again. One whose lead is gone goes alone. */
function familiesOf(ids: readonly string[]): readonly Family[] {
  const tasks = new Map<string, string[]>(ids.map((id) => [id, []]));
  const alone = ids.filter((id) => {
    const ofLead = tasks.get(outermostLeadOf(id));
    const isTask = ofLead !== undefined && outermostLeadOf(id) !== id;
    if (isTask) ofLead.push(id);
    return !isTask;
  });
  return alone.map((id) => ({ id, tasks: tasks.get(id) ?? [] }));
}

function one(
  tally: CopyTally,
  part: 'session' | 'approval',
  id: string,
  copy: () => Promise<CopyOutcome>,
): Promise<void> {
  return together(tally, part, [id], async () => tally.count(part, id, await copy()));
}

/** What keeps one of them from being copied keeps all. */
async function together(
  tally: CopyTally,
  part: 'checkpoint' | 'session' | 'approval',
  ids: readonly string[],
  copy: () => Promise<void>,
): Promise<void> {
  try {
    await copy();
  } catch (error) {
    if (!(error instanceof SDKError)) throw error;
    const { code } = error;
    const outcome = code === 'LOUSHO_SESSION_BUSY' ? 'busy' : UNREADABLE.has(code) ? 'unreadable' : undefined;
    if (!outcome) throw error;
    for (const id of ids) tally.count(part, id, outcome);
  }
}

function prepared(from: AgentStore, to: AgentStore, options: CopyOptions): Copy {
  const { source = 'close', name = `copy-${crypto.randomUUID()}` } = options;
  if (source !== 'close' && source !== 'keep') throw expected('source', "'close' or 'keep'", source);
  if (from === to) throw new ConfigurationError('Expected two stores, got one twice', { field: 'to' });
  for (const part of PARTS) {
    if (!from[part]) continue;
    if (!from[part].ids)
      throw expected(`from.${part}.ids`, 'a function: a source lists what it keeps', undefined);
    if (!to[part]) throw expected(`to.${part}`, 'there, as it is at the source', undefined);
  }
  return { from: guarded(from), to: guarded(to), closes: source === 'close', owner: owner(name) };
}

function guarded(store: AgentStore): AgentStore {
  const { checkpoints, approvals, sessions } = store;
  return {
    ...(checkpoints && { checkpoints: guardCheckpointStore(checkpoints) }),
    ...(approvals && { approvals }),
    ...(sessions && { sessions }),
  };
}
