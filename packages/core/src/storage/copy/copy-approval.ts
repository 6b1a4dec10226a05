import { type AgentStore, type ApprovalRecord, type ApprovalStore, statusOf } from '../../contract/index.js';
import type { Copy, CopyOutcome } from './copy-options.js';
import { isMoved } from './plan-run.js';
import { differs, isSame } from './same-record.js';

/** Copies one approval with its decision. One that is undecided can be decided at the source no more when it is closed. */
export async function copyApproval(copy: Copy, id: string): Promise<CopyOutcome> {
  const { approvals: from } = copy.from;
  const { approvals: to } = copy.to;
  if (!from || !to) return 'unchanged';
  const source = await from.load(id);
  if (!source) return 'unchanged';
  if (source.decision?.isMoved) return closed(from, id);
  if (copy.closes && !source.decision && (await isWaitedForHere(copy.from, source))) return 'busy';
  const outcome = await write(to, id, source);
  if (!copy.closes || source.decision) return outcome;
  // Decided in the target already, where its run is: here nobody must.
  if (outcome === 'newer' && !(await isDecidedThere(to, id, source))) return outcome;
  // A decision like any other: of ours and a person's one is taken, so that none is lost between the copy and the end.
  const answer = await from.decide(id, { id, approved: false, isMoved: true });
  if (answer === 'already-decided') {
    const decided = await from.load(id);
    return decided?.decision?.isMoved ? closed(from, id) : decided ? write(to, id, decided) : outcome;
  }
  await closed(from, id);
  return outcome === 'newer' ? 'moved' : outcome;
}

async function write(to: ApprovalStore, id: string, source: ApprovalRecord): Promise<CopyOutcome> {
  const { approval, snapshot, decision } = source;
  const there = await to.load(id);
  if (there && isSame(there, source)) return 'unchanged';
  if (there?.decision && !there.decision.isMoved) return 'newer';
  // What was moved away from there before comes back.
  if (there?.decision) await to.delete(id);
  await to.save(approval, snapshot);
  if (decision) await to.decide(id, decision);
  const copied = await to.load(id);
  if (!copied || !isSame(copied, source)) throw differs(`approval ${id}`);
  return 'copied';
}

/** Its run could not be copied, and can go on here with nothing but the decision. */
async function isWaitedForHere({ checkpoints }: AgentStore, { approval }: ApprovalRecord): Promise<boolean> {
  const run = approval.sessionId === undefined ? null : await checkpoints?.load(approval.sessionId);
  return run != null && !isMoved(run) && statusOf(run) !== 'finished';
}

async function isDecidedThere(
  to: ApprovalStore,
  id: string,
  { approval, snapshot }: ApprovalRecord,
): Promise<boolean> {
  const there = await to.load(id);
  return there?.decision !== undefined && isSame([there.approval, there.snapshot], [approval, snapshot]);
}

async function closed(from: ApprovalStore, id: string): Promise<CopyOutcome> {
  await from.delete(id);
  return 'moved';
}
