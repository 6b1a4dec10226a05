import type { Checkpoint, Message } from '@lousho/core/contract';

export function checkpoint(fields: Partial<Checkpoint> = {}): Checkpoint {
  return { sessionId: 'refund-42', stepIndex: 0, messages: [], status: 'in-progress', ...fields };
}

export function user(text: string): Message {
  return { role: 'user', content: text };
}
