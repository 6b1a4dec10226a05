// Receives the webhooks of a shop and has an agent work on each, once. Any number of these processes may stand behind one address.
//
//   POST /webhook    {"id": "evt_42", "text": "…"}    200 with the answer; 503: deliver it again later
import { createHash } from 'node:crypto';
import { appendFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createAgent, defineTool, SDKError, SessionBusyError } from '@lousho/core';
import { mockModel } from '@lousho/core/testing';
import { SqliteStore } from '@lousho/store-sqlite';
import { z } from 'zod';

const openTicket = defineTool({
  name: 'open_ticket',
  description: 'Opens a ticket at the help desk.',
  input: z.object({ about: z.string() }),
  execute: ({ about }, { runId }) => {
    appendFileSync('tickets.txt', `${about}, by process ${process.pid}\n`);
    return { ticket: runId };
  },
});

/** Stands in for a model: it opens a ticket about the message, and says which. */
const provider = mockModel(
  [
    ({ messages }) => ({ toolCalls: [{ name: 'open_ticket', args: { about: messages.at(-1)?.content } }] }),
    ({ messages }) => `Opened ${messages.at(-1)?.content}`,
  ],
  { turnBy: 'transcript' },
);

const store = new SqliteStore('./jobs.db');
const agent = createAgent({ provider, tools: [openTicket], store });
// Finishes the jobs of a process that died.
const recovery = agent.recover({ onError: (error, run) => console.error(run?.sessionId, error) });

const Delivery = z.object({ id: z.string(), text: z.string() });

async function receive(request: IncomingMessage) {
  const { id, text } = Delivery.parse(await bodyOf(request));
  const { text: answer } = await agent.send(text, { sessionId: jobOf(id), ifAbsent: true });
  return { status: 200, body: { answer } };
}

/** A shop may use any characters in its ids; a session id has letters, digits and a few signs. */
function jobOf(deliveryId: string): string {
  return `webhook-${createHash('sha256').update(deliveryId).digest('hex')}`;
}

function refusal(error: unknown) {
  // Another process works on this delivery. A 2xx would tell the shop that it need not deliver it again, and that is not known yet: the
  // other process may die before anything is saved.
  if (error instanceof SessionBusyError) return { status: 503, body: { error: error.code } };
  if (error instanceof z.ZodError || error instanceof SyntaxError)
    return { status: 400, body: { error: 'INVALID' } };
  console.error(error);
  return { status: 500, body: { error: error instanceof SDKError ? error.code : 'INTERNAL' } };
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) text += chunk;
  return JSON.parse(text);
}

const server = createServer(async (request, response) => {
  const { status, body } = await receive(request).catch(refusal);
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
});
server.listen(Number(process.env.PORT ?? 0), '127.0.0.1', () => {
  console.log(`listening on http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});

process.once('SIGTERM', () => {
  server.close(async () => {
    await recovery.stop();
    await agent.close();
    await store.close();
  });
  server.closeIdleConnections();
});
