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
import { type KeptRun, planRun, withoutMarks } from './plan-run.js';
import { differs, isSameCheckpoint } from './same-record.js';

export interface RunOutcome {
  readonly outcome: CopyOutcome;
  readonly historyEntries: number;
  /** Of the run, copied with it. */
  readonly approvals: readonly string[];
}

/**
 * Copies one id under the leases of both stores: the approvals that it waits for, its kept saves, its deletion. Closes it at the
 * source when the target has been read back.
 */
export async function copyRun(
  copy: Copy,
  from: CheckpointStore,
  to: CheckpointStore,
  id: string,
): Promise<RunOutcome> {
  const held = await HeldId.take(from, id, copy.owner);
  try {
    const source = await keptRun(from, id);
    const plan = planRun(source, await keptRun(to, id));
    if (plan.kind === 'newer' || plan.kind === 'moved')
      return { outcome: plan.kind, historyEntries: 0, approvals: [] };
    // Left open at the source: until the run is closed, it may have to be decided there after all.
    const approvals: string[] = [];
    for (const approvalId of approvalsOf(source.latest)) {
      if ((await copyApproval({ ...copy, closes: false }, approvalId)) === 'copied')
        approvals.push(approvalId);
    }
    if (plan.kind === 'copy') {
      await write(copy, to, id, plan, held);
      await assertCopied(to, id, source);
    }
    if (copy.closes && source.latest) await held.save(movedMark(source.latest));
    if (plan.kind === 'unchanged') return { outcome: 'unchanged', historyEntries: 0, approvals };
    return { outcome: 'copied', historyEntries: plan.saves.length, approvals };
  } finally {
    await held.release();
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
