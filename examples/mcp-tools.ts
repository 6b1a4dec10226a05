// An agent with the tools of an MCP server, and a model of the AI SDK. The server runs in this process; any other transport of the MCP SDK
// does as well. Run it with
// `npx tsc -b && BASE_URL=https://api.example.com/v1 API_KEY=… MODEL=small-1 node examples/dist/mcp-tools.js`.
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { aiSdk } from '@lousho/ai-sdk';
import { createAgent, defineTool, type Tool } from '@lousho/core';
import { SqliteStore } from '@lousho/store-sqlite';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { type CallToolResult, CallToolResultSchema } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';

const {
  BASE_URL = 'http://localhost:11434/v1',
  API_KEY = '',
  MODEL = 'qwen3',
  DB = './desk.db',
} = process.env;

/** A help desk: looking at a ticket changes nothing, closing one does. */
function helpDesk(): McpServer {
  const server = new McpServer({ name: 'help-desk', version: '1.0.0' });
  const inputSchema = { ticket: z.number() };
  server.registerTool(
    'read_ticket',
    { description: 'Reads a ticket', inputSchema, annotations: { readOnlyHint: true } },
    ({ ticket }) => ({ content: [{ type: 'text', text: `Ticket ${ticket}: the printer works again.` }] }),
  );
  server.registerTool('close_ticket', { description: 'Closes a ticket', inputSchema }, ({ ticket }) => {
    console.log(`ticket ${ticket} is closed`);
    return { content: [{ type: 'text', text: 'closed' }] };
  });
  return server;
}

/** The tools of a server. What may have an effect, and is not said to be idempotent, is not run again after a crash. */
async function toolsOf(client: Client): Promise<readonly Tool[]> {
  const { tools } = await client.listTools();
  return tools.map(({ name, description = '', inputSchema, annotations = {} }) =>
    defineTool({
      name,
      description,
      // The server checks the arguments itself.
      input: z.record(z.string(), z.unknown()),
      inputJsonSchema: inputSchema,
      rerun: annotations.readOnlyHint || annotations.idempotentHint ? 'always' : 'never',
      execute: async (args, { signal }) =>
        resultOf(
          CallToolResultSchema.parse(await client.callTool({ name, arguments: args }, undefined, { signal })),
        ),
    }),
  );
}

function resultOf({ structuredContent, content, isError }: CallToolResult): unknown {
  const text = content.map((part) => (part.type === 'text' ? part.text : `[${part.type}]`)).join('\n');
  if (isError) throw new Error(text);
  return structuredContent ?? text;
}

const [toClient, toServer] = InMemoryTransport.createLinkedPair();
const client = new Client({ name: 'agent', version: '1.0.0' });
await Promise.all([helpDesk().connect(toServer), client.connect(toClient)]);

const vendor = createOpenAICompatible({ name: 'vendor', baseURL: BASE_URL, apiKey: API_KEY });
const store = new SqliteStore(DB);
const agent = createAgent({
  provider: aiSdk(vendor(MODEL)),
  tools: await toolsOf(client),
  store,
  instructions: 'Close a ticket only when it says that the problem is gone.',
});

const { text } = await agent.send('See to ticket 7', { sessionId: 'ticket-7' });
console.log(text);
await client.close();
await store.close();
