import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Start } from './examples.js';

export interface RunProgramOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly timeLimitMs: number;
  readonly onLine: (line: string) => void;
}

/** Runs a program as a process of its own. Resolves with what it printed; rejects when it did not end as it should. */
export async function runProgram(
  path: string,
  { killAt, exitCode = 0, prints }: Start,
  { cwd, env, timeLimitMs, onLine }: RunProgramOptions,
): Promise<readonly string[]> {
  // A group of its own, so that nothing that it started outlives it.
  const child = spawn(process.execPath, [path], {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  });
  const kill = () => {
    try {
      process.kill(-(child.pid as number), 'SIGKILL');
    } catch {
      // All of them have ended.
    }
  };
  process.once('exit', kill);
  let isLate = false;
  const limit = setTimeout(() => {
    isLate = true;
    kill();
  }, timeLimitMs);
  const lines: string[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => {
    lines.push(line);
    onLine(line);
    if (killAt !== undefined && line.includes(killAt)) kill();
  });
  const exit = once(child, 'exit');
  const closed = once(child, 'close');
  const [code, signal] = (await exit) as [number | null, string | null];
  kill();
  await closed;
  clearTimeout(limit);
  process.off('exit', kill);

  if (isLate) throw new Error(`did not end within ${timeLimitMs / 1_000} s`);
  if (killAt !== undefined) {
    if (signal !== 'SIGKILL') throw new Error(`ended with ${code ?? signal} before it said "${killAt}"`);
  } else if (code !== exitCode) {
    throw new Error(`ended with ${code ?? signal}, expected ${exitCode}`);
  }
  if (prints && lines.join('\n') !== prints.join('\n')) {
    throw new Error(`expected it to print ${JSON.stringify(prints)}`);
  }
  return lines;
}
