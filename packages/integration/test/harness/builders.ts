import type { ApprovalDecision, Checkpoint, Message, PendingApproval } from '@lousho/core/contract';

/** A checkpoint of which a test names only what matters. */
export function checkpoint(fields: Partial<Checkpoint> = {}): Checkpoint {
  return { sessionId: 'refund-42', stepIndex: 1, messages: [user('Refund order 42')], ...fields };
}

export function user(content: string): Message {
  return { role: 'user', content };
}

export function approval(fields: Partial<PendingApproval> = {}): PendingApproval {
  return {
    id: 'approval-1',
    toolCallId: 'call_1',
    toolName: 'refund',
    args: { order: 42 },
    createdAt: '2030-01-01T00:00:00.000Z',
    ...fields,
  };
}

export function decision(fields: Partial<ApprovalDecision> = {}): ApprovalDecision {
  return { id: 'approval-1', approved: true, ...fields };
}
