// A refund desk over HTTP: an order over 100 EUR waits until somebody has decided. Nothing is kept in this process, so it may be killed
// and started again while people think about it.
//
//   POST /orders          {"order": 7, "amount": 240}         asks for a refund
//   GET  /approvals                                           what waits for a person
//   POST /approvals/<id>  {"approved": true, "by": "ana"}     decides it, once
import { appendFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createAgent, defineTool, SDKError } from '@lousho/core';
import { mockModel } from '@lousho/core/testing';
import { SqliteStore } from '@lousho/store-sqlite';
import { z } from 'zod';

const refund = defineTool({
  name: 'refund',
  description: 'Pays an order back.',
  input: z.object({ order: z.number(), amount: z.number() }),
  needsApproval: ({ amount }) => amount > 100,
  execute: ({ order, amount }, { approval }) => {
    appendFileSync('payments.txt', `${amount} EUR for order ${order}, approved by ${approval?.by}\n`);
    return { refunded: amount };
  },
});

/** Stands in for a model: it asks for what the message says. */
const provider = mockModel(
  [
    ({ messages }) => {
      const [amount, order] = String(messages.at(-1)?.content).match(/\d+/g)?.map(Number) ?? [];
      return { toolCalls: [{ name: 'refund', args: { order, amount } }] };
    },
    'The refund is paid.',
  ],
  { turnBy: 'transcript' },
);

const store = new SqliteStore('./refunds.db');
const agent = createAgent({ provider, tools: [refund], store });

interface Reply {
  readonly status: number;
  readonly body: unknown;
}

const Order = z.object({ order: z.number().int(), amount: z.number().int().positive() });
const Decision = z.object({ approved: z.boolean(), by: z.string(), note: z.string().optional() });

async function answer(request: IncomingMessage): Promise<Reply> {
  const [, what, id] = request.url?.split('/') ?? [];
  if (request.method === 'POST' && what === 'orders') return takeOrder(Order.parse(await bodyOf(request)));
  if (request.method === 'GET' && what === 'approvals') return { status: 200, body: await waiting() };
  if (request.method === 'POST' && what === 'approvals' && id)
    return decide(id, Decision.parse(await bodyOf(request)));
  return { status: 404, body: { error: 'NO_SUCH_PAGE' } };
}

/** The same order again is no second refund: `ifAbsent`. */
async function takeOrder({ order, amount }: z.infer<typeof Order>): Promise<Reply> {
  const input = `Refund ${amount} EUR for order ${order}`;
  const { text, approvalIds } = await agent.send(input, { sessionId: `order-${order}`, ifAbsent: true });
  return approvalIds ? { status: 202, body: { approvals: approvalIds } } : { status: 200, body: { text } };
}

async function waiting() {
  const approvals = await agent.approvals.list();
  return approvals.map(({ id, toolName, args, createdAt }) => ({ id, toolName, args, createdAt }));
}

/** Who may decide is yours to check, before this. */
async function decide(id: string, { approved, by, note = '' }: z.infer<typeof Decision>): Promise<Reply> {
  try {
    const { text } = await agent.approvals.resolve({ id, approved, by, note });
    return { status: 200, body: { text } };
  } catch (error) {
    if (!(error instanceof SDKError) || error.code !== 'LOUSHO_APPROVAL_NOT_FOUND') throw error;
    // Unknown, or decided before: a decided approval stays in the store.
    const decision = (await store.approvals.load(id))?.decision;
    return decision
      ? { status: 409, body: { error: error.code, decidedBy: decision.by, approved: decision.approved } }
      : { status: 404, body: { error: error.code } };
  }
}

function refusal(error: unknown): Reply {
  if (error instanceof z.ZodError || error instanceof SyntaxError)
    return { status: 400, body: { error: 'INVALID', detail: error.message } };
  console.error(error);
  if (!(error instanceof SDKError)) return { status: 500, body: { error: 'INTERNAL' } };
  return { status: error.retryable ? 503 : 500, body: { error: error.code } };
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) text += chunk;
  return JSON.parse(text);
}

const server = createServer(async (request, response) => {
  const { status, body } = await answer(request).catch(refusal);
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
});
server.listen(Number(process.env.PORT ?? 0), '127.0.0.1', () => {
  console.log(`listening on http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});

process.once('SIGTERM', () => {
  server.close(async () => {
    await agent.close();
    await store.close();
  });
  server.closeIdleConnections();
});
