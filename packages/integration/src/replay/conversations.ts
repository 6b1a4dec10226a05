import { readFileSync } from 'node:fs';
import type { RecordedMessage } from '@lousho/core/testing';
import { UsageError } from './options.js';

export interface Conversation {
  readonly id: string;
  readonly messages: readonly RecordedMessage[];
}

const ROLES: ReadonlySet<unknown> = new Set(['system', 'user', 'assistant', 'tool']);

/** The conversations of a file. Says what is wrong with it, and where. */
export function readConversations(file: string): readonly Conversation[] {
  const value = parseFile(file);
  if (!Array.isArray(value)) throw new UsageError(`${file}: expected an array of { id, messages }`);
  value.forEach((entry: unknown, index) => {
    assertConversation(file, entry, index);
  });
  return value as Conversation[];
}

function parseFile(file: string): unknown {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new UsageError(`${file} cannot be read: ${(error as Error).message}`);
  }
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new UsageError(`${file} is not JSON: ${(error as Error).message}`);
  }
}

function assertConversation(file: string, entry: unknown, index: number): void {
  const { id, messages } = (entry ?? {}) as Partial<Conversation>;
  const at = `${file}: conversation ${index}`;
  if (typeof id !== 'string') throw new UsageError(`${at}: expected a string \`id\``);
  if (!Array.isArray(messages)) throw new UsageError(`${at} (${id}): expected an array \`messages\``);
  messages.forEach((message: Partial<RecordedMessage> | null, position) => {
    const isKnown = ROLES.has(message?.role);
    const isText = typeof message?.content === 'string' || (message?.content ?? null) === null;
    if (!isKnown || !isText) {
      throw new UsageError(`${at} (${id}), message ${position}: expected a role and text content`);
    }
  });
}
