import type { Checkpoint, Message } from '@lousho/core/contract';

export function user(content: string): Message {
  return { role: 'user', content };
}

export function checkpoint(facts: Partial<Checkpoint> = {}): Checkpoint {
  return { sessionId: 'refund-42', stepIndex: 0, messages: [user('hello')], status: 'in-progress', ...facts };
}

/** The contents of the messages, for short comparisons. */
export function contents(found: Checkpoint | null): string[] | null {
  return found?.messages.map(({ content }) => content as string) ?? null;
}
