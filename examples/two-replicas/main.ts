// Two replicas on one Postgres, behind one URL. Every order is asked for by four clients at once; replica a is killed with SIGKILL while
// it charges. Replica b finishes what is left, and in the end each order was charged once and shipped once, by one run. Run it with
// `npm run examples -- two-replicas`, or with a database of yours:
// `npx tsc -b && DATABASE_URL=postgres://… node examples/dist/two-replicas/main.js`.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { PostgresStore } from '@lousho/store-postgres';
import pg from 'pg';
import { ask } from '../support/ask.js';
import { startServer } from '../support/server-process.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { startBalancer } from './balancer.js';
import { startWorld } from './world.js';

const { DATABASE_URL } = process.env;
assert(DATABASE_URL, 'Set DATABASE_URL to a Postgres, or run this with `npm run examples -- two-replicas`');

const SCHEMA = `lousho_example_${randomUUID().slice(0, 8)}`;
const ORDERS = Array.from({ length: 13 }, (_, index) => `${index + 1}`);
const CLIENTS = 4;

const world = await startWorld({ silentTo: 'a' });
const start = (name: string) =>
  startServer(new URL('replica.js', import.meta.url), {
    cwd: temporaryFolder(),
    env: { DATABASE_URL, SCHEMA, WORLD_URL: world.url, REPLICA: name },
  });
const [a, b] = await Promise.all([start('a'), start('b')]);
const balancer = await startBalancer([a.url, b.url]);

interface Answer {
  readonly runId?: string;
  readonly text?: string;
  readonly error?: string;
}

/** A client asks until it has an answer: that is safe, because the same order again is the same run. */
const told = { busy: 0, gone: 0 };
async function order(number: string): Promise<Answer> {
  for (;;) {
    const { status, body } = await ask<Answer>(`${balancer.url}/orders/${number}`, {});
    if (status === 200) return body;
    if (body.error === 'LOUSHO_SESSION_BUSY') told.busy += 1;
    else if (body.error === 'REPLICA_GONE') told.gone += 1;
    else throw new Error(`order ${number}: ${status} ${body.error}`);
    await setTimeout(200);
  }
}

// The first client's orders go to a and b in turn: a has every other one, and comes to the middle of its charges.
const answers = ORDERS.map(order);
await world.holds(3);
for (let client = 2; client <= CLIENTS; client++) answers.push(...ORDERS.map(order));
while (balancer.passed() < ORDERS.length * CLIENTS) await setTimeout(10);
await a.kill();
console.log(
  `SIGKILL to replica a, in the middle of ${world.charges.filter(({ by }) => by === 'a').length} charges`,
);

const all = await Promise.all(answers);
await b.stop();
balancer.close();
world.close();
console.log(`${all.length} requests for ${ORDERS.length} orders are answered`);
console.log(
  `on the way: ${told.busy} times "another replica is at it", ${told.gone} times "the replica is gone"`,
);

const byNumber = (left: string, right: string) => Number(left) - Number(right);
assert.deepEqual(world.charges.map((made) => made.order).sort(byNumber), ORDERS);
assert.deepEqual([...world.parcels.keys()].sort(byNumber), ORDERS);
for (const keys of world.parcels.values()) assert.equal(keys.size, 1);
const store = new PostgresStore(DATABASE_URL, { schema: SCHEMA });
for (const [index, number] of ORDERS.entries()) {
  const stored = await store.checkpoints.load(`order-${number}`);
  assert.equal(stored?.status, 'finished');
  // All four clients of this order were given the one run.
  for (let at = index; at < all.length; at += ORDERS.length)
    assert.deepEqual(all[at], { runId: stored.runId, text: 'Charged and shipped.' });
}
await store.close();
await dropSchema();
console.log(`${world.charges.length} charges and ${world.parcels.size} parcels: each order once`);

async function dropSchema(): Promise<void> {
  const client = new pg.Client(DATABASE_URL);
  await client.connect();
  await client.query(`DROP SCHEMA ${SCHEMA} CASCADE`);
  await client.end();
}
