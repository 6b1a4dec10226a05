import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

export interface Child {
  readonly process: ChildProcessWithoutNullStreams;
  /** The next line that it prints; rejects when it ends without one. */
  line(): Promise<string>;
  /** Every line not yet read, once its output has ended. */
  rest(): Promise<string[]>;
  kill(): Promise<void>;
}

/** A program of `fixtures/` as a process of its own, killed at the latest when the test has finished. */
export function startChild(program: string, args: readonly string[], ids: { uid?: number } = {}): Child {
  const file = fileURLToPath(new URL(`../fixtures/${program}`, import.meta.url));
  const child = spawn(process.execPath, [file, ...args], { ...ids, stdio: 'pipe' });
  child.stderr.pipe(process.stderr);
  child.stdin.on('error', () => {});
  const closed = once(child, 'close');
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const kill = async () => {
    child.kill('SIGKILL');
    await closed;
  };
  onTestFinished(kill);
  return {
    process: child,
    line: async () => {
      const { value, done } = await lines.next();
      if (done) throw new Error(`${program} ended without another line`);
      return value;
    },
    rest: async () => {
      const rest: string[] = [];
      for (let next = await lines.next(); !next.done; next = await lines.next()) rest.push(next.value);
      return rest;
    },
    kill,
  };
}
