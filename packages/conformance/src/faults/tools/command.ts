import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CommandOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly timeLimitMs?: number;
  /** Pipes to read from at descriptors 0 and 3. Default false: there is nothing to read. */
  readonly input?: boolean;
}

/** Runs a command to its end. Rejects when it does not end in time: it is killed then, with everything that it started. */
export function run(command: readonly string[], options: CommandOptions = {}): Promise<Ended> {
  return ended(start(command, options), options);
}

/** What a process that `start` started came to. Rejects when it does not end in time: it is killed then, with all of its group. */
export async function ended(
  child: ChildProcess,
  { timeLimitMs = 60_000 }: Pick<CommandOptions, 'timeLimitMs'> = {},
): Promise<Ended> {
  const out: string[] = [];
  const err: string[] = [];
  child.stdout?.setEncoding('utf8').on('data', (text: string) => out.push(text));
  child.stderr?.setEncoding('utf8').on('data', (text: string) => err.push(text));
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    killGroup(child);
  }, timeLimitMs);
  try {
    const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
    if (isLate)
      throw new Error(
        `not ended within ${timeLimitMs / 1_000} s: ${child.spawnargs.join(' ').slice(0, 400)}`,
      );
    return { code, signal, stdout: out.join(''), stderr: err.join('') };
  } finally {
    clearTimeout(timer);
  }
}

/** In a process group of its own. */
export function start(
  [file = '', ...args]: readonly string[],
  { env = {}, input = false }: CommandOptions = {},
): ChildProcess {
  return spawn(file, args, {
    env: { ...process.env, UV_THREADPOOL_SIZE: '1', UV_USE_IO_URING: '0', ...env },
    stdio: input ? ['pipe', 'pipe', 'pipe', 'pipe'] : ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
}

/** Ends a process that `start` started, and its children. */
export function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
}

/** Whether a command can be run and ends well. */
export function works(command: readonly string[]): boolean {
  const [file = '', ...args] = command;
  return spawnSync(file, args, { stdio: 'ignore', timeout: 10_000 }).status === 0;
}
