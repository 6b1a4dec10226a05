import type { Message } from '../contract/index.js';

/**
 * What OpenAI's chat completions and Anthropic's messages API would refuse in a transcript, in words; empty when both take it:
 * each tool-call turn directly followed by exactly one result per call, no result without a call, no call id twice in a turn, a
 * system message only first, a user message before the first reply.
 */
export function transcriptFaults(messages: readonly Message[]): readonly string[] {
  const faults: string[] = [];
  let open: string[] = [];
  messages.forEach((message, index) => {
    const at = `message ${index}`;
    if (message.role === 'tool') {
      const found = open.indexOf(message.toolCallId ?? '');
      if (found === -1) faults.push(`${at}: a result for ${message.toolCallId}, which no open call has`);
      else open.splice(found, 1);
      return;
    }
    if (open.length > 0) faults.push(`${at}: ${message.role} before the results of ${open.join(', ')}`);
    open = message.toolCalls?.map((call) => call.id) ?? [];
    if (new Set(open).size < open.length) faults.push(`${at}: a call id twice in one turn`);
    if (message.role === 'system' && index > 0) faults.push(`${at}: a system message that is not the first`);
    if (message.role === 'assistant' && !messages.slice(0, index).some(({ role }) => role === 'user')) {
      faults.push(`${at}: a reply before any user message`);
    }
  });
  if (open.length > 0) faults.push(`no results for ${open.join(', ')}`);
  return faults;
}
