import {
  type ApprovalDecision,
  type ApprovalRecord,
  type ApprovalStore,
  type Clock,
  expected,
  type PausedCall,
} from '../contract/index.js';
import { judgeDecision } from '../run/judge-decision.js';
import { alreadyDecided, approvalNotFound } from './approval-errors.js';
import { assertKnownOptions } from './option-checks.js';

/** What a stored decision says beside the given one is passed over, so that it can be given back as it was read. */
const KNOWN = ['id', 'approved', 'note', 'by', 'decidedAt', 'isExpired', 'isDetached'];

/** Refuses what is not a decision, with `LOUSHO_CONFIG_INVALID`. */
export function assertDecision(decision: unknown): asserts decision is ApprovalDecision {
  const given = (decision ?? {}) as Partial<ApprovalDecision>;
  assertKnownOptions('decision', given, KNOWN);
  if (typeof given.id !== 'string') throw expected('id', "an approval's id", given.id);
  if (typeof given.approved !== 'boolean') throw expected('approved', 'a boolean', given.approved);
  if (given.note !== undefined && typeof given.note !== 'string')
    throw expected('note', 'a string', given.note);
}

/** The record of an approval that is still to be decided. Rejects with `LOUSHO_APPROVAL_NOT_FOUND`. */
export async function undecidedRecord(approvals: ApprovalStore, id: string): Promise<ApprovalRecord> {
  const record = await approvals.load(id);
  if (!record) throw approvalNotFound(id);
  if (record.decision) throw alreadyDecided(id);
  return record;
}

/** Records the decision, once: of any number of deciders one gets past here. */
export async function takeDecision(
  approvals: ApprovalStore,
  record: ApprovalRecord,
  decision: ApprovalDecision,
  { clock, isDetached = false }: { readonly clock: Clock; readonly isDetached?: boolean },
): Promise<void> {
  const { id, approved, note, by } = decision;
  const given = {
    id,
    approved,
    ...(note !== undefined && { note }),
    ...(by !== undefined && { by }),
    ...(isDetached && { isDetached: true as const }),
  };
  const outcome = await approvals.decide(id, judgeDecision(record.approval, given, clock.now()));
  if (outcome === 'already-decided') throw alreadyDecided(id);
  if (outcome === 'not-found') throw approvalNotFound(id);
}

/** Whether a pause waits on the approval. */
export function waitsOn(pausedCalls: readonly PausedCall[], approvalId: string): boolean {
  return pausedCalls.some((call) => call.approvalId === approvalId && !call.decision);
}
