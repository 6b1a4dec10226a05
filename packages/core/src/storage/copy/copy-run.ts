import {
  type Checkpoint,
  type CheckpointStore,
  encode,
  isoTime,
  type Message,
} from '../../contract/index.js';
import { copyApproval } from './copy-approval.js';
import type { Copy, CopyOutcome } from './copy-options.js';
import { HeldId } from './held-id.js';
import { isMoved, type KeptRun, planRun, withoutMarks } from './plan-run.js';
import { differs, isSameCheckpoint } from './same-record.js';

/** An id, and the records of the sub-agents that work for it. */
export interface Family {
  readonly id: string;
  readonly tasks: readonly string[];
}

export interface RunOutcome {
  readonly id: string;
  readonly outcome: CopyOutcome;
  readonly historyEntries: number;
  /** Of the run, copied with it. */
  readonly approvals: readonly string[];
}

/**
 * Copies one id under the leases of both stores: the approvals that it waits for, its sub-agents' records, its kept saves, its deletion.
 * Closes it at the source when the target has been read back. Whoever finds the id in either store, finds all that it goes on with.
 */
export async function copyRun(
  copy: Copy,
  from: CheckpointStore,
  to: CheckpointStore,
  { id, tasks }: Family,
): Promise<readonly RunOutcome[]> {
  const held = await HeldId.take(from, id, copy.owner);
  try {
    const source = await keptRun(from, id);
    const plan = planRun(source, await keptRun(to, id));
    if (plan.kind === 'newer' || plan.kind === 'moved') {
      const { kind: outcome } = plan;
      if (outcome === 'moved') await closeAll(copy, from, tasks);
      return [id, ...tasks].map((each) => ({ id: each, outcome, historyEntries: 0, approvals: [] }));
    }
    // Left open at the source: until the run is closed, it may have to go on there after all.
    const open = { ...copy, closes: false };
    const approvals: string[] = [];
    for (const approvalId of approvalsOf(source.latest)) {
      if ((await copyApproval(open, approvalId)) === 'copied') approvals.push(approvalId);
    }
    const others: RunOutcome[] = [];
    for (const task of tasks) {
      await held.stillHeld();
      others.push(...(await copyRun(open, from, to, { id: task, tasks: [] })));
    }
    if (plan.kind === 'copy') {
      await write(copy, to, id, plan, held);
      await assertCopied(to, id, source);
    }
    if (copy.closes && source.latest) await held.save(movedMark(source.latest));
    await closeAll(copy, from, tasks);
    const historyEntries = plan.kind === 'copy' ? plan.saves.length : 0;
    return [
      { id, outcome: plan.kind === 'copy' ? 'copied' : 'unchanged', historyEntries, approvals },
      ...others,
    ];
  } finally {
    await held.release();
  }
}

/** Their lead's lease is held, so that none of them goes on. */
async function closeAll(
  { closes, owner }: Copy,
  from: CheckpointStore,
  ids: readonly string[],
): Promise<void> {
  if (!closes) return;
  for (const id of ids) {
    const held = await HeldId.take(from, id, owner);
    try {
      const latest = await from.load(id);
      if (latest && !isMoved(latest)) await held.save(movedMark(latest));
    } finally {
      await held.release();
    }
  }
}

/** What a store keeps of an id. A store without a history keeps the latest save. */
async function keptRun(store: CheckpointStore, id: string): Promise<KeptRun> {
  const latest = await store.load(id);
  const entries = (await store.history?.(id)) ?? [];
  const saves = entries.map(({ checkpoint }) => checkpoint).toReversed();
  if (latest && saves.length === 0) saves.push(latest);
  return { saves: withoutMarks(saves), latest };
}

async function write(
  { owner }: Copy,
  to: CheckpointStore,
  id: string,
  { saves, endsDeleted }: { readonly saves: readonly Checkpoint[]; readonly endsDeleted: boolean },
  source: HeldId,
): Promise<void> {
  let target = await HeldId.take(to, id, owner);
  try {
    let before: Checkpoint | undefined;
    for (const save of saves) {
      await source.stillHeld();
      // An id that was deleted and begun anew counts from 1 again: under one lease that would be a repetition.
      if (before && !isLater(save, before)) {
        target = await target.takeAnew();
      }
      const { checkpoint, unchangedMessages } = continuing(save, before);
      await target.save(checkpoint, unchangedMessages);
      before = checkpoint;
    }
    if (endsDeleted) await to.delete(id, { keepHistory: true });
  } finally {
    await target.release();
  }
}

function isLater(save: Checkpoint, before: Checkpoint): boolean {
  return save.revision === undefined || before.revision === undefined || save.revision > before.revision;
}

/** With the message objects of the save before where they are equal, so that the target stores each message once. */
function continuing(
  save: Checkpoint,
  before: Checkpoint | undefined,
): { checkpoint: Checkpoint; unchangedMessages: number } {
  const known = before?.messages ?? [];
  let same = 0;
  while (same < known.length && isSameMessage(known[same], save.messages[same])) same++;
  const messages = [...known.slice(0, same), ...save.messages.slice(same)];
  return { checkpoint: { ...save, messages }, unchangedMessages: same };
}

function isSameMessage(a: Message | undefined, b: Message | undefined): boolean {
  return a !== undefined && b !== undefined && encode(a) === encode(b);
}

/** The target may keep fewer saves than the source; those that it keeps are the newest. */
async function assertCopied(to: CheckpointStore, id: string, source: KeptRun): Promise<void> {
  const { saves, latest } = await keptRun(to, id);
  const count = Math.min(saves.length, source.saves.length);
  const [copied, wanted] = [
    saves.slice(saves.length - count),
    source.saves.slice(source.saves.length - count),
  ];
  const isCopied = copied.every((save, at) => isSameCheckpoint(save, wanted[at] ?? null));
  if (!isCopied || !isSameCheckpoint(latest, source.latest)) throw differs(`checkpoint ${id}`);
}

/** Finished, so that nothing at the source looks for it any more, and with the instant by which every attempt to go on is refused. */
export function movedMark(latest: Checkpoint): Checkpoint {
  const { revision } = latest;
  return {
    ...latest,
    ...(revision !== undefined && { revision: revision + 1 }),
    status: 'finished',
    finishReason: 'moved',
    movedAt: isoTime(Date.now()),
  };
}

function approvalsOf(checkpoint: Checkpoint | null): readonly string[] {
  const { approvalId, approvalIds = [], pausedCalls = [] } = checkpoint ?? {};
  const named = [approvalId, ...approvalIds, ...pausedCalls.map((call) => call.approvalId)];
  return [...new Set(named.filter((id) => id !== undefined))];
}
