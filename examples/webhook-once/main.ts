// A shop delivers one webhook twenty times at the same instant, to two processes: one of them does the work, once, and every delivery
// comes to the same answer. Run it with `npx tsc -b && node examples/dist/webhook-once/main.js`.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { ask } from '../support/ask.js';
import { startServer } from '../support/server-process.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const DELIVERIES = 20;
const EVENT = { id: 'evt/42', text: 'The parcel of order 7 is lost' };

const cwd = temporaryFolder();
const start = () => startServer(new URL('receiver.js', import.meta.url), { cwd });
const receivers = await Promise.all([start(), start()]);

/** As a shop does it: a delivery that was not taken is made again. */
let refusals = 0;
async function deliver(url: string): Promise<string> {
  for (;;) {
    const { status, body } = await ask<{ answer?: string; error?: string }>(`${url}/webhook`, EVENT);
    if (status === 200 && body.answer) return body.answer;
    assert.deepEqual({ status, body }, { status: 503, body: { error: 'LOUSHO_SESSION_BUSY' } });
    refusals += 1;
    await setTimeout(100);
  }
}

const urls = Array.from({ length: DELIVERIES }, (_, index) => receivers[index % 2]?.url ?? '');
const answers = new Set(await Promise.all(urls.map(deliver)));
console.log(`${DELIVERIES} deliveries to 2 processes, of which ${refusals} were told to come again`);
assert.equal(answers.size, 1);
console.log(`each was answered: ${[...answers]}`);

// The shop has lost the answer, and delivers once more after a restart.
await Promise.all(receivers.map((receiver) => receiver.stop()));
const later = await start();
assert.equal(await deliver(later.url), [...answers][0]);
await later.stop();

const tickets = readFileSync(join(cwd, 'tickets.txt'), 'utf8').trim().split('\n');
assert.equal(tickets.length, 1);
console.log(`${DELIVERIES + 1} deliveries, one ticket: ${tickets[0]}`);
