// Starts the agent, kills its process (SIGKILL) while it ships, and starts it again.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

const session = `demo-${Date.now()}`;

async function run(name, killAt) {
  const child = spawn(process.execPath, ['agent.js', session], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = new Promise((resolve) => child.once('exit', (code, signal) => resolve(signal ?? code)));
  const lines = [];
  for await (const line of createInterface({ input: child.stdout })) {
    console.log(`${name}: ${line}`);
    lines.push(line);
    if (line === killAt) child.kill('SIGKILL');
  }
  console.log(`${name}: ended with ${await ended}`);
  return lines;
}

const first = await run('first process', 'ship');
const second = await run('second process');
const charges = [...first, ...second].filter((line) => line === 'charge').length;
const isWhole = charges === 1 && second.at(-1) === 'Done.';
console.log(
  isWhole ? 'The card was charged once.' : `Expected one charge and an end, saw ${charges} charges`,
);
process.exitCode = isWhole ? 0 : 1;
