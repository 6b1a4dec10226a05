import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type ProcessIdentity, processIdentity } from '@lousho/core/node';

export interface Zombie {
  readonly identity: ProcessIdentity;
  end(): Promise<void>;
}

/** A process that has ended and whose parent, which lives, does not collect it. Linux only. */
export async function startZombie(): Promise<Zombie> {
  // The shell starts a child that waits for a line, tells its id, and then becomes a program that never waits for children.
  const parent = spawn('sh', ['-c', 'cat <&3 >/dev/null & echo $!; exec 3<&-; exec sleep 1000'], {
    stdio: ['ignore', 'pipe', 'inherit', 'pipe'],
  });
  const [line] = (await once(parent.stdout as Readable, 'data')) as [Buffer];
  const pid = Number(String(line));
  const identity = { ...processIdentity(), pid, startTime: statOf(pid)[19] as string };
  // Until it is that program the shell would collect the child.
  while (readFileSync(`/proc/${parent.pid}/comm`, 'utf8') !== 'sleep\n') await nextTurn();
  process.kill(pid, 'SIGKILL');
  while (statOf(pid)[0] !== 'Z') await nextTurn();
  return {
    identity,
    end: async () => {
      const exited = once(parent, 'exit');
      parent.kill('SIGKILL');
      await exited;
    },
  };
}

/** The fields of /proc/PID/stat behind the name. */
function statOf(pid: number): string[] {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return text.slice(text.lastIndexOf(')') + 2).split(' ');
}
