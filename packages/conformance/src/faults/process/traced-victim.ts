import type { ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { type Ended, ended, start } from '../tools/command.js';
import { attaching, type TraceOrder } from '../tools/strace.js';
import { parseTrace, type Trace } from '../trace/strace-line.js';
import { victimCommand } from './start-victim.js';
import { GO } from './tracer-gate.js';
import type { VictimOrder } from './victim-order.js';

/** What is done to a process, and what is written down of it. */
export interface Tracing extends TraceOrder {
  /** What runs the process and its tracer: `['unshare', '--pid']`. */
  readonly prefix?: readonly string[];
}

/**
 * Starts a process that strace comes to when all modules are loaded, and that begins its part then. To load them takes thousands of
 * calls, some more or fewer each time: under a tracer they would take longer than the part, and its counts would begin behind them.
 */
export function startTraced(order: VictimOrder, { prefix = [], ...trace }: Tracing): ChildProcess {
  // As its parent, strace may trace it also where it may trace nobody else.
  const script = `"$@" <&3 & read -r ready; exec ${attaching(trace)} -p $!`;
  const command = [...prefix, 'sh', '-c', script, 'sh', ...victimCommand({ ...order, awaitsTracer: true })];
  const child = start(command, { input: true });
  const tracer = child.stdin;
  const victim = child.stdio[3] as Writable;
  // They may have ended.
  for (const reader of [tracer, victim]) reader?.on('error', () => undefined);
  child.stdout?.once('data', () => tracer?.write(GO));
  createInterface({ input: child.stderr as Readable }).on('line', (line) => {
    if (/^strace: Process \d+ attached/.test(line)) victim.write(GO);
  });
  return child;
}

/** Lets a process do its part under strace, to its end or until it is killed. */
export async function runTraced(
  order: VictimOrder,
  tracing: Tracing,
): Promise<{ readonly trace: Trace; readonly ended: Ended }> {
  const outcome = await ended(startTraced(order, tracing));
  return { trace: parseTrace(readFileSync(tracing.log, 'utf8')), ended: outcome };
}
