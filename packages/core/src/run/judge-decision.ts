import { type ApprovalDecision, isoTime, type PendingApproval } from '../contract/index.js';

/**
 * What a person's answer counts for, judged when it arrives: after `expiresAt` an approval counts as a refusal. An instant that
 * cannot be read does not expire.
 */
export function judgeDecision(
  approval: Pick<PendingApproval, 'expiresAt'>,
  decision: ApprovalDecision,
  now: number,
): ApprovalDecision {
  const dated = { ...decision, decidedAt: isoTime(now) };
  const expiresAt = Date.parse(approval.expiresAt ?? '');
  if (!decision.approved || Number.isNaN(expiresAt) || now < expiresAt) return dated;
  return { ...dated, approved: false, isExpired: true };
}
