// A Worker that keeps its runs in Workers KV. No process stays alive while a person thinks about an approval: the next request may come to
// another isolate.
//
//   POST /orders/<number>    {"amount": 240}                    charges it, or asks first
//   GET  /approvals                                             what waits for a person
//   POST /approvals/<id>     {"approved": true, "by": "ana"}    decides it
import { createAgent, defineTool, type LLMProvider, type Logger, SDKError } from '@lousho/core';
import { mockModel } from '@lousho/core/testing';
import { type KVNamespace, KVStore } from '@lousho/store-kv';
import { z } from 'zod';

interface Env {
  readonly RUNS: KVNamespace;
  readonly CHARGES: KVNamespace;
  /** `atomic`: refuse a store that may let two isolates advance one run. */
  readonly FENCING?: 'atomic';
}

/** Stands in for a model: it charges what the message says. */
const provider: LLMProvider = mockModel(
  [
    ({ messages }) => {
      const [amount, order] = String(messages.at(-1)?.content).match(/\d+/g)?.map(Number) ?? [];
      return { toolCalls: [{ name: 'charge', args: { order, amount } }] };
    },
    'The order is charged.',
  ],
  { turnBy: 'transcript' },
);

/** What KV does not guarantee, said once by each isolate instead of by each request. */
const said = new Set<string>();
const logger: Logger = {
  warn: (message, error) => {
    if (!said.has(message)) console.warn(message, error ?? '');
    said.add(message);
  },
};

/** For one request. */
function openAgent({ RUNS, CHARGES, FENCING }: Env) {
  const charge = defineTool({
    name: 'charge',
    description: 'Charges an order.',
    input: z.object({ order: z.number(), amount: z.number() }),
    needsApproval: ({ amount }) => amount > 100,
    execute: async ({ order, amount }, { runId, approval }) => {
      await CHARGES.put(`${order}/${runId}`, JSON.stringify({ amount, approvedBy: approval?.by ?? null }));
      return { charged: amount };
    },
  });
  return createAgent({
    provider,
    tools: [charge],
    // What nobody has written to for 30 days goes by itself.
    store: new KVStore(RUNS, { ttl: 30 * 24 * 3_600 }),
    // Another location may see a lease a minute late: a longer one keeps two locations apart more often, though never for sure.
    lease: { ttlMs: 120_000 },
    ports: { logger },
    ...(FENCING && { requireFencing: FENCING }),
  });
}

export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    try {
      return await answer(request, openAgent(env));
    } catch (error) {
      if (error instanceof z.ZodError) return Response.json({ error: 'INVALID' }, { status: 400 });
      if (!(error instanceof SDKError)) throw error;
      const isDecided = error.code === 'LOUSHO_APPROVAL_NOT_FOUND';
      const status = isDecided ? 409 : error.retryable ? 503 : 500;
      return Response.json({ error: error.code }, { status });
    }
  },
};

const Order = z.object({ amount: z.number().int().positive() });
const Decision = z.object({ approved: z.boolean(), by: z.string() });

async function answer(request: Request, { send, approvals }: ReturnType<typeof openAgent>) {
  const [, what, id = ''] = new URL(request.url).pathname.split('/');
  if (what === 'orders' && request.method === 'POST') {
    const { amount } = Order.parse(await request.json());
    const input = `Charge ${amount} for order ${id}`;
    const { text, approvalIds } = await send(input, { sessionId: `order-${id}`, ifAbsent: true });
    return approvalIds ? Response.json({ approvals: approvalIds }, { status: 202 }) : Response.json({ text });
  }
  if (what === 'approvals' && request.method === 'GET') return Response.json(await approvals.list());
  if (what === 'approvals') {
    const decision = Decision.parse(await request.json());
    const { text } = await approvals.resolve({ id, ...decision });
    return Response.json({ text });
  }
  return new Response('There is no such page', { status: 404 });
}
