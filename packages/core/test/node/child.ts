import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { ProcessIdentity } from '@lousho/core/node';

/** A process that has said who it is and then waits to be ended. */
export interface Child {
  readonly process: ChildProcess;
  readonly identity: ProcessIdentity;
}

const SAY_WHO_AND_WAIT = `
  import { processIdentity } from '@lousho/core/node';
  process.stdout.write(JSON.stringify(processIdentity()) + '\\n');
  setInterval(() => {}, 1_000_000);
`;

export interface ChildOptions {
  /** A program that starts Node, such as `unshare`. */
  readonly by?: readonly string[];
  /** What the process calls itself. */
  readonly title?: string;
}

export async function startChild({ by = [], title }: ChildOptions = {}): Promise<Child> {
  const script = `process.title = ${JSON.stringify(title ?? 'lousho-child')};${SAY_WHO_AND_WAIT}`;
  const [program, ...args] = [...by, process.execPath, '--input-type=module', '-e', script];
  const child = spawn(program as string, args, {
    cwd: import.meta.dirname,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  for await (const chunk of child.stdout) {
    text += String(chunk);
    if (text.includes('\n')) break;
  }
  return { process: child, identity: JSON.parse(text) as ProcessIdentity };
}

/** Ends it as a crash does, and waits until its parent has collected it. */
export async function kill(child: Child): Promise<void> {
  if (child.process.exitCode !== null || child.process.signalCode !== null) return;
  const exited = once(child.process, 'exit');
  child.process.kill('SIGKILL');
  await exited;
}
