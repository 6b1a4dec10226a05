// Says to a conversation what is missing up to a number of messages, then ends. It begins where the stored conversation stands, also
// where the process before was killed in the middle of a turn. Used by main.ts.
import { createAgent, defineTool, type LLMProvider } from '@lousho/core';
import { SqliteStore } from '@lousho/store-sqlite';

const SESSION = 'chat-42';
export const FILE = './chat.db';

/** Stands in for a model: it looks into its notes at every tenth message, and answers the others at once. */
const provider: LLMProvider = {
  name: 'scripted',
  generate: async ({ messages }) => {
    const last = messages.at(-1);
    const isTenth = last?.role === 'user' && String(last.content).endsWith('0');
    if (!isTenth)
      return { text: 'Noted, and I shall keep it in mind.'.padEnd(500, '.'), finishReason: 'stop' };
    const call = { name: 'look_up', arguments: '{}' };
    return {
      finishReason: 'tool_calls',
      toolCalls: [{ id: `call_${messages.length}`, type: 'function', function: call }],
    };
  },
};

export function openChat({ isStuck = false } = {}) {
  const lookUp = defineTool({
    name: 'look_up',
    description: 'Looks into the notes.',
    execute: async () => {
      console.log('looking ...');
      // Only for the example: time enough to be killed.
      if (isStuck) await new Promise((resolve) => setTimeout(resolve, 60_000));
      return 'nothing new';
    },
  });
  // The transcript is the history of a conversation: earlier saves of its turns need not be kept beside it.
  const store = new SqliteStore(FILE, { historyLimit: 0 });
  const agent = createAgent({ provider, tools: [lookUp], store });
  return { store, session: agent.session({ id: SESSION }) };
}
