import type { ApprovalRecord, ApprovalStore, PausedCall } from '../contract/index.js';

/** Ends the ids of the records that are no question to anybody. */
const CLAIM = '.go';

export function isClaim(approvalId: unknown): boolean {
  return typeof approvalId === 'string' && approvalId.endsWith(CLAIM);
}

/**
 * Without a lease, two deciders of one pause may both find that nothing is left to decide. Whoever settles this further record, which
 * all of them put, goes on.
 */
export async function mayGoOn(
  approvals: ApprovalStore,
  { approval }: ApprovalRecord,
  pausedCalls: readonly PausedCall[],
): Promise<boolean> {
  const [first] = pausedCalls;
  if (!first || pausedCalls.length === 1) return true;
  const id = `${first.approvalId}${CLAIM}`;
  await approvals.save({ ...approval, id }, {});
  return (await approvals.decide(id, { id, approved: true })) === 'decided';
}
