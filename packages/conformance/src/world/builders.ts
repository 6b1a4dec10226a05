import type { ApprovalDecision, Checkpoint, Message, PendingApproval } from '@lousho/core/contract';

/** The id that a rule uses when the id does not matter. */
export const ID = 'refund-42';

/** A lease's length in the rules: the executor's default. */
export const TTL = 30_000;

/** A checkpoint of which a rule names only what matters. */
export function checkpoint(fields: Partial<Checkpoint> = {}): Checkpoint {
  return { sessionId: ID, stepIndex: 1, messages: [user('Refund order 42')], ...fields };
}

export function user(content: string): Message {
  return { role: 'user', content };
}

/** One message a letter. */
export function messages(letters: string): Message[] {
  return [...letters].map(user);
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
