import type { Message } from '@lousho/core/contract';

/** A tool's result as every version of the specification takes it: text for a string, JSON for any other value. */
export interface ToolOutput {
  readonly type: 'text' | 'json' | 'error-text' | 'error-json';
  readonly value: unknown;
}

export function toolOutput({ content, isError }: Message): ToolOutput {
  const value = typeof content === 'string' ? parsed(content) : content;
  const kind = typeof value === 'string' ? 'text' : 'json';
  return { type: isError ? `error-${kind}` : kind, value };
}

/** A result is stored as JSON text. Bytes stay as they stand there: a prompt has no place for them. */
function parsed(content: string): unknown {
  try {
    return JSON.parse(content);
  } catch {
    return content;
  }
}
