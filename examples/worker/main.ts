// Runs worker.ts in workerd, as Cloudflare does, by way of miniflare: a request pauses, workerd ends, and a request to a fresh one decides.
// Then a Worker that requires atomic fencing refuses KV, which has no conditional write. Run it with
// `npx tsc -b && node examples/dist/worker/main.js`; wrangler.jsonc is what `wrangler deploy` takes.
import assert from 'node:assert/strict';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { KVNamespace } from '@lousho/store-kv';
import { Miniflare } from 'miniflare';
import { rolldown } from 'rolldown';
import { temporaryFolder } from '../support/temporary-folder.js';

// As wrangler does it, into one module.
const bundle = await rolldown({ input: fileURLToPath(new URL('worker.js', import.meta.url)) });
const { output } = await bundle.generate({ format: 'esm' });
await bundle.close();

const kvPersist = temporaryFolder();

/** What the Worker has written to its console. */
const said: string[] = [];

function startWorker(bindings: Record<string, string> = {}): Miniflare {
  return new Miniflare({
    modules: true,
    script: output[0].code,
    compatibilityDate: '2025-09-01',
    kvNamespaces: ['RUNS', 'CHARGES'],
    kvPersist,
    bindings,
    cf: false,
    handleRuntimeStdio: (stdout, stderr) => {
      for (const stream of [stdout, stderr]) stream.on('data', (data) => said.push(String(data)));
    },
  });
}

interface Reply {
  readonly status: number;
  readonly body: unknown;
}

async function ask(worker: Miniflare, path: string, body?: unknown): Promise<Reply> {
  const post = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
  const response = await worker.dispatchFetch(`http://desk.example${path}`, post);
  return { status: response.status, body: await response.json() };
}

const first = startWorker();
const small = await ask(first, '/orders/6', { amount: 20 });
assert.deepEqual(small, { status: 200, body: { text: 'The order is charged.' } });
const large = await ask(first, '/orders/7', { amount: 240 });
assert.equal(large.status, 202);
console.log(`order 6: ${JSON.stringify(small.body)}; order 7 waits for a person: ${large.status}`);
await first.dispose();
console.log('workerd has ended');

const second = startWorker();
const { body } = await ask(second, '/approvals');
const [waiting] = body as { id: string; args: unknown }[];
assert.deepEqual(waiting?.args, { order: 7, amount: 240 });
const decided = await ask(second, `/approvals/${waiting.id}`, { approved: true, by: 'ana' });
assert.deepEqual(decided, { status: 200, body: { text: 'The order is charged.' } });
const again = await ask(second, `/approvals/${waiting.id}`, { approved: true, by: 'ben' });
assert.equal(again.status, 409);
console.log(`a fresh one: ana decides ${decided.status}, ben is late ${again.status}`);

const charges = (await second.getKVNamespace('CHARGES')) as unknown as KVNamespace;
const made = (await charges.list?.())?.keys.map(({ name }) => name.split('/')[0]) ?? [];
assert.deepEqual(made, ['6', '7']);
await second.dispose();

const strict = startWorker({ FENCING: 'atomic' });
const refused = await ask(strict, '/orders/8', { amount: 20 });
assert.deepEqual(refused, { status: 500, body: { error: 'LOUSHO_CONFIG_INVALID' } });
await strict.dispose();
console.log("with requireFencing: 'atomic' KV is refused: LOUSHO_CONFIG_INVALID");

const warnings = () => said.join('').match(/this store does not guarantee everything: [^.]*/g) ?? [];
// What was said may come through the pipe a little later.
while (warnings().length < 2) await setTimeout(10);
assert.equal(warnings().length, 2);
console.log(`without it each of the others has said once: ${warnings()[0]}`);
console.log(`Two orders in workerd, on KV: ${made.length} charges, one of them approved by a later request`);
