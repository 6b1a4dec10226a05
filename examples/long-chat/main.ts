// A conversation of 200 turns in a SQLite file, held by five processes one after another; one of them is killed in the middle of a turn.
// The file grows by the same for each turn, early and late. In the end the conversation has each message once, each step of it can be
// read, and one of them begins another conversation. Run it with `npx tsc -b && node examples/dist/long-chat/main.js`.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { statSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { temporaryFolder } from '../support/temporary-folder.js';
import { FILE, openChat } from './chat.js';

const TURNS = 200;
const TURNS_PER_PROCESS = 50;

process.chdir(temporaryFolder());
const growths: number[] = [];
let size = 0;
for (let turns = TURNS_PER_PROCESS; turns <= TURNS; turns += TURNS_PER_PROCESS) {
  if (turns === 2 * TURNS_PER_PROCESS) await talkUntilKilled(turns);
  await talk(turns);
  const { size: now } = statSync(FILE);
  const growth = Math.round((now - size) / TURNS_PER_PROCESS);
  console.log(`${turns} turns: ${Math.round(now / 1_024)} KB, ${growth} bytes more a turn`);
  growths.push(growth);
  size = now;
}
// The first process has made the empty tables, too.
const [, ...later] = growths;
assert(Math.max(...later) < 2 * Math.min(...later), `the file grows by ${later} bytes a turn`);

const { store, session } = openChat();
const messages = await session.messages();
const said = messages.filter(({ role }) => role === 'user').map(({ content }) => content);
assert.deepEqual(
  said,
  Array.from({ length: TURNS }, (_, index) => `This is message ${index + 1}`),
);

const steps = await session.history();
const calls = steps.flatMap(({ toolCalls }) => toolCalls);
assert.equal(steps.length, TURNS + TURNS / 10);
assert.equal(calls.length, TURNS / 10);
console.log(`history: ${steps.length} steps, of which ${calls.length} called a tool`);

const fork = await session.fork({ fromStep: 110 });
const { text } = await fork.send('And what if I had asked this?');
assert.equal((await session.messages()).length, messages.length);
assert.equal((await fork.history()).at(-2)?.turn, 99);
console.log(`fork at turn 100: ${text.slice(0, 35)}`);
await store.close();
console.log(`${TURNS} turns, each message once, ${later.at(-1)} bytes for the last of them`);

/** Has a process talk until there are so many turns. */
async function talk(turns: number): Promise<void> {
  const [code] = await once(start([`${turns}`]), 'exit');
  assert.equal(code, 0);
}

/** The same, killed as soon as it looks something up. */
async function talkUntilKilled(turns: number): Promise<void> {
  const child = start([`${turns}`, 'stuck']);
  for await (const line of createInterface({ input: child.stdout })) if (line === 'looking ...') break;
  child.kill('SIGKILL');
  await once(child, 'exit');
  console.log(`SIGKILL to process ${child.pid}, in the middle of a turn`);
}

function start(args: readonly string[]) {
  const program = fileURLToPath(new URL('talk.js', import.meta.url));
  return spawn(process.execPath, [program, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
}
