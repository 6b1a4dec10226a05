import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { isAlive, killTree, markOf, type ProcessMark } from './process-tree.js';
import { forget, watch } from './undertaker.js';

export interface ServerCommand {
  /** What is started, in words: `Postgres`. */
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly options?: SpawnOptions;
  /** What the server writes when it accepts connections. */
  readonly ready: RegExp;
  /** How to get it, should it not be there. */
  readonly remedy: string;
  readonly stopSignal?: NodeJS.Signals;
}

export interface ServerProcess {
  readonly pid: number;
  isRunning(): boolean;
  /** Ends it in order. */
  end(): Promise<void>;
  /** SIGKILL to it and all that it started. */
  kill(): Promise<void>;
  /** The last of what it wrote. */
  output(): string;
}

const START_MS = 60_000;
const KEPT_OUTPUT = 20_000;

export async function startProcess(what: ServerCommand): Promise<ServerProcess> {
  const child = spawn(what.command, what.args, { ...what.options, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  let wake = () => {};
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk: Buffer) => {
      output = (output + chunk.toString()).slice(-KEPT_OUTPUT);
      wake();
    });
  }
  child.once('exit', () => wake());
  const failed = new Promise<Error>((resolve) => {
    child.once('error', (error) => resolve(error));
  });
  if (child.pid === undefined) throw cannotStart(what, (await failed).message);
  const mark = markOf(child.pid);
  watch(mark);
  const deadline = Date.now() + START_MS;
  while (!what.ready.test(output)) {
    if (child.exitCode !== null || child.signalCode !== null || Date.now() > deadline) {
      await kill(child, mark);
      throw cannotStart(what, lastLinesOf(output));
    }
    await new Promise<void>((resolve) => {
      wake = resolve;
      setTimeout(resolve, 1000);
    });
  }
  // A program that forgot to stop a server must not be kept running by it.
  child.unref();
  for (const stream of [child.stdout, child.stderr]) (stream as Socket | null)?.unref();
  return {
    pid: child.pid,
    isRunning: () => child.exitCode === null && child.signalCode === null,
    end: () => end(child, mark, what.stopSignal ?? 'SIGTERM'),
    kill: () => kill(child, mark),
    output: () => output,
  };
}

function cannotStart(what: ServerCommand, why: string): Error {
  return new Error(`${what.name} did not start (${why.trim().replaceAll('\n', ' | ')}): ${what.remedy}`);
}

function lastLinesOf(output: string): string {
  return output.trim().split('\n').slice(-4).join('\n') || 'it wrote nothing';
}

const END_MS = 10_000;

async function end(child: ChildProcess, mark: ProcessMark, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) {
    const timer = setTimeout(() => killTree(mark), END_MS);
    const exited = once(child, 'exit');
    child.kill(signal);
    child.ref();
    await exited;
    clearTimeout(timer);
  }
  forget(mark.pid);
}

async function kill(child: ChildProcess, mark: ProcessMark): Promise<void> {
  const isEnded = child.exitCode !== null || child.signalCode !== null;
  const exited = isEnded ? undefined : once(child, 'exit');
  const pids = killTree(mark);
  child.ref();
  await exited;
  const marks = pids.filter((pid) => pid !== mark.pid).map(markOf);
  while (marks.some(isAlive)) await new Promise((resolve) => setTimeout(resolve, 2));
  forget(mark.pid);
}
