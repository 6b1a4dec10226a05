import type { Checkpoint, Message } from '@lousho/core/contract';

export function checkpoint(fields: Partial<Checkpoint> = {}): Checkpoint {
  return { sessionId: 'refund-42', stepIndex: 0, messages: [], status: 'in-progress', ...fields };
}

export function user(text: string): Message {
  return { role: 'user', content: text };
}

/** Revision r of a run whose transcript has r messages. */
export function step(revision: number, sessionId = 'refund-42'): Checkpoint {
  const messages = Array.from({ length: revision }, (_, index) => user(`message ${index}`));
  return checkpoint({ sessionId, revision, stepIndex: revision, messages });
}
