import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { run } from '../tools/command.js';

/** A method's path and its arguments: `['checkpoints.load', 'refund-42']`. */
export type AskedCall = readonly [path: string, ...args: unknown[]];

export interface Answer {
  readonly answer?: unknown;
  /** In place of a list. */
  readonly count?: number;
  /** The code with which the call rejected. */
  readonly refused?: string;
}

export interface Asking {
  readonly module: string;
  readonly config: unknown;
  /** What runs the process: `['unshare', '--time']`. */
  readonly prefix?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

const SCRIPT = fileURLToPath(new URL('ask.js', import.meta.url));

export function askCommand(
  { module, config, prefix = [] }: Asking,
  calls: readonly AskedCall[],
): readonly string[] {
  return [...prefix, process.execPath, SCRIPT, module, JSON.stringify(config), JSON.stringify(calls)];
}

/** The answers of a process that is started for them and ends. */
export async function ask(asking: Asking, ...calls: readonly AskedCall[]): Promise<readonly Answer[]> {
  const { stdout, stderr, code } = await run(askCommand(asking, calls), { env: asking.env ?? {} });
  const last = stdout.trim().split('\n').at(-1);
  if (!last) throw new Error(`a process that was asked ended with ${code}: ${stderr.slice(-600)}`);
  return JSON.parse(last) as readonly Answer[];
}

export interface Holder {
  readonly answers: readonly Answer[];
  end(): Promise<void>;
  /** SIGKILL. */
  kill(): Promise<void>;
}

/** A process that makes these calls and then lives on. */
export async function hold(asking: Asking, ...calls: readonly AskedCall[]): Promise<Holder> {
  const [file = '', ...args] = [...askCommand(asking, calls), 'hold'];
  const child: ChildProcess = spawn(file, args, {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, ...asking.env },
  });
  const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream });
  const [line] = (await once(lines, 'line')) as [string];
  return {
    answers: JSON.parse(line) as readonly Answer[],
    end: async () => {
      const exited = once(child, 'exit');
      child.stdin?.end();
      await exited;
    },
    kill: async () => {
      const exited = once(child, 'exit');
      child.kill('SIGKILL');
      await exited;
    },
  };
}
