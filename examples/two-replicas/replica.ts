// One of any number of replicas: an order desk over HTTP, on Postgres. Each replica runs this same program, and each finishes what a
// replica that is gone has left.
//
//   POST /orders/<number>    charges and ships it; the same order again gives the same answer
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createAgent, defineTool, type ModelRequest, SDKError } from '@lousho/core';
import { mockModel } from '@lousho/core/testing';
import { PostgresStore } from '@lousho/store-postgres';
import { z } from 'zod';

const { DATABASE_URL = '', SCHEMA = 'lousho', WORLD_URL = '', REPLICA = '' } = process.env;

const Order = z.object({ order: z.number() });
const Receipt = z.object({ receipt: z.string() });

/** A bank that knows no keys: charging twice is two charges. So a call that was cut off is looked up before anything else is done. */
const charge = defineTool({
  name: 'charge',
  description: 'Charges an order.',
  input: Order,
  rerun: 'never',
  execute: async ({ order }) => {
    const response = await fetch(`${WORLD_URL}/charges/${order}?by=${REPLICA}`, { method: 'POST' });
    return Receipt.parse(await response.json());
  },
  reconcile: async (args) => {
    const response = await fetch(`${WORLD_URL}/charges/${Order.parse(args).order}`);
    if (response.status === 404) return { outcome: 'not-happened' };
    return { outcome: 'happened', result: Receipt.parse(await response.json()) };
  },
});

/** A carrier that recognises a call by its key: it may be asked again. */
const ship = defineTool({
  name: 'ship',
  description: 'Ships an order.',
  input: Order,
  execute: async ({ order }, { runId, stepIndex, toolCallId }) => {
    const key = encodeURIComponent(`${runId}:${stepIndex}:${toolCallId}`);
    const response = await fetch(`${WORLD_URL}/parcels/${order}?by=${REPLICA}&key=${key}`, {
      method: 'POST',
    });
    return Receipt.parse(await response.json());
  },
});

/** Stands in for a model: it charges and ships the order that the message names. */
const call =
  (name: string) =>
  ({ messages }: ModelRequest) => {
    const asked = messages.find(({ role }) => role === 'user');
    return { toolCalls: [{ name, args: { order: Number(/\d+/.exec(String(asked?.content))) } }] };
  };
const provider = mockModel([call('charge'), call('ship'), 'Charged and shipped.'], { turnBy: 'transcript' });

const store = new PostgresStore(DATABASE_URL, { schema: SCHEMA });
const agent = createAgent({
  provider,
  tools: [charge, ship],
  store,
  requireFencing: 'atomic',
  // How long others wait for a replica that is gone: short, so that the example is.
  lease: { ttlMs: 2_000 },
});
const recovery = agent.recover({
  intervalMs: 250,
  onRecovered: (run) => console.log(`replica ${REPLICA} has finished ${run.sessionId}`),
  onError: (error) => console.error(error),
});

const server = createServer(async (request, response) => {
  const [, order] = /^\/orders\/(\d+)$/.exec(request.url ?? '') ?? [];
  const { status, body } = await answer(Number(order)).catch(refusal);
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
});

async function answer(order: number) {
  const input = `Charge and ship order ${order}`;
  const { runId, text } = await agent.send(input, { sessionId: `order-${order}`, ifAbsent: true });
  return { status: 200, body: { runId, text } };
}

/** `LOUSHO_SESSION_BUSY`: another replica is at this order. Ask again. */
function refusal(error: unknown) {
  const code = error instanceof SDKError ? error.code : 'INTERNAL';
  if (code !== 'LOUSHO_SESSION_BUSY') console.error(error);
  return { status: error instanceof SDKError && error.retryable ? 503 : 500, body: { error: code } };
}

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
