import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

export interface ServerProcessOptions {
  /** The folder that it works in. */
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** A server in a process of its own, as on a machine of its own. */
export interface ServerProcess {
  readonly url: string;
  readonly pid: number;
  /** SIGKILL: it has no time to tidy up. */
  kill(): Promise<void>;
  /** SIGTERM: it ends in order. */
  stop(): Promise<void>;
}

/** Starts a program and waits until it says on which address it listens. */
export async function startServer(program: URL, { cwd, env }: ServerProcessOptions): Promise<ServerProcess> {
  const child = spawn(process.execPath, [fileURLToPath(program)], {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  // Should the example fail, its servers end with it.
  process.once('exit', () => child.kill('SIGKILL'));
  const end = async (signal: 'SIGKILL' | 'SIGTERM') => {
    child.kill(signal);
    await ended;
  };
  return {
    url: await addressOf(child),
    pid: child.pid ?? 0,
    kill: () => end('SIGKILL'),
    stop: () => end('SIGTERM'),
  };
}

/** The address that it says; what else it says is passed on. */
function addressOf({ stdout }: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    const lines = createInterface({ input: stdout as NodeJS.ReadableStream });
    lines.once('close', () => reject(new Error('The server ended before it listened')));
    lines.on('line', (line) => {
      const [, url] = /^listening on (http:\S+)$/.exec(line) ?? [];
      if (url) resolve(url);
      else console.log(line);
    });
  });
}
