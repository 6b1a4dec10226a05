// Runs in a PID namespace of its own: kills a process, gives its id to another one, and asks whether the first has ended.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { hasProvablyEnded } from '@lousho/core/node';

const WAIT = `
  import { processIdentity } from '@lousho/core/node';
  process.stdout.write(JSON.stringify(processIdentity()));
  setInterval(() => {}, 1_000_000);
`;

async function start() {
  const child = spawn(process.execPath, ['--input-type=module', '-e', WAIT], {
    cwd: import.meta.dirname,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [text] = await once(child.stdout, 'data');
  return { child, identity: JSON.parse(String(text)) };
}

async function end({ child }) {
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}

const first = await start();
await end(first);
writeFileSync('/proc/sys/kernel/ns_last_pid', String(first.identity.pid - 1));
const second = await start();
const answer = {
  isSamePid: second.identity.pid === first.identity.pid,
  hasEnded: hasProvablyEnded(first.identity),
  hasNewEnded: hasProvablyEnded(second.identity),
};
await end(second);
process.stdout.write(JSON.stringify(answer));
