// A run that is killed with SIGKILL in the middle of its second tool, and finished by a second process.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const folder = mkdtempSync(join(tmpdir(), 'lousho-demo-'));
let isAsPromised = false;
try {
  console.log('An agent books order 7, on SQLite in a temporary folder. Before the crash:\n');
  const first = start('first-process.js');
  await lineWith(first, 'calls the carrier');
  first.kill('SIGKILL');
  const [, signal] = await once(first, 'exit');
  console.log(
    `\n  ${signal} to process ${first.pid}, in the middle of ship_order. After it, in a new process:\n`,
  );

  const second = start('second-process.js');
  const [code] = await once(second, 'exit');
  isAsPromised = report(code);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
process.exitCode = isAsPromised ? 0 : 1;

/** What happened in the world, by the ledger that the store never sees. */
function report(code) {
  const ledger = readFileSync(join(folder, 'ledger.txt'), 'utf8').trim().split('\n');
  console.log('\nThe ledger, a file that the store never sees:\n');
  for (const line of ledger) console.log(`  ${line}`);
  const charges = ledger.filter((line) => line.startsWith('charged')).length;
  const shipped = ledger.filter((line) => line.startsWith('shipped')).length;
  console.log(`\nThe card was charged ${times(charges)}. The order was shipped ${times(shipped)}.`);
  return code === 0 && charges === 1 && shipped === 1;
}

function times(count) {
  return count === 1 ? 'once' : `${count} times`;
}

function start(script) {
  const child = spawn(process.execPath, [fileURLToPath(new URL(script, import.meta.url)), folder], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  child.lines = createInterface({ input: child.stdout });
  child.lines.on('line', (line) => console.log(line));
  return child;
}

/** Resolves when the child says it; rejects if it ends without. */
function lineWith(child, words) {
  return new Promise((resolve, reject) => {
    child.lines.on('line', (line) => line.includes(words) && resolve(line));
    child.once('exit', () => reject(new Error(`the process ended before it said "${words}"`)));
  });
}
