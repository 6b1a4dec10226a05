// Kills the refund desk of server.ts while an approval waits, starts it again, and has two people decide at the same moment: the money
// is paid once, and the one who was late is told who had decided. Run it with
// `npx tsc -b && node examples/dist/approval-over-http/main.js`.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ask } from '../support/ask.js';
import { startServer } from '../support/server-process.js';
import { temporaryFolder } from '../support/temporary-folder.js';

interface Waiting {
  readonly id: string;
  readonly args: unknown;
}

interface Decided {
  readonly text?: string;
  readonly error?: string;
  readonly decidedBy?: string;
}

const SERVER = new URL('server.js', import.meta.url);
const cwd = temporaryFolder();

const first = await startServer(SERVER, { cwd });
const asked = await ask(`${first.url}/orders`, { order: 7, amount: 240 });
assert.equal(asked.status, 202);
console.log(`POST /orders: ${asked.status}, order 7 waits for a person`);
await first.kill();
console.log(`SIGKILL to server ${first.pid}`);

const second = await startServer(SERVER, { cwd });
const [waiting] = (await ask<Waiting[]>(`${second.url}/approvals`)).body;
assert.deepEqual(waiting?.args, { order: 7, amount: 240 });
console.log(`GET /approvals: server ${second.pid} knows of ${JSON.stringify(waiting.args)}`);

const decision = `${second.url}/approvals/${waiting.id}`;
const clicks = await Promise.all(['ana', 'ben'].map((by) => ask<Decided>(decision, { approved: true, by })));
for (const { status, body } of clicks) console.log(`POST /approvals/…: ${status} ${JSON.stringify(body)}`);
assert.deepEqual(clicks.map(({ status }) => status).sort(), [200, 409]);
const late = clicks.find(({ status }) => status === 409)?.body;
assert.equal(late?.error, 'LOUSHO_APPROVAL_NOT_FOUND');
assert.deepEqual((await ask(`${second.url}/approvals`)).body, []);
assert.equal((await ask(`${second.url}/approvals/unknown`, { approved: true, by: 'ana' })).status, 404);
await second.stop();

const payments = readFileSync(join(cwd, 'payments.txt'), 'utf8').trim().split('\n');
assert.deepEqual(payments, [`240 EUR for order 7, approved by ${late.decidedBy}`]);
console.log(`Two people decided at once, and one payment was made: ${payments[0]}`);
