import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { NotRun } from '../../model/violation.js';
import { type Ended, run } from '../tools/command.js';
import type { VictimOrder } from './victim-order.js';

const SCRIPT = fileURLToPath(new URL('victim.js', import.meta.url));

/**
 * Room for twice of what a flow makes; more takes time at each start. A collection in between wakes the event loop, by a write that a
 * tracer counts: the n-th write would be another one in each run, and under load in most.
 */
const NO_COLLECTION = ['--min-semi-space-size=32', '--max-semi-space-size=32'];

export function victimCommand(order: VictimOrder): readonly string[] {
  return [process.execPath, ...NO_COLLECTION, SCRIPT, JSON.stringify(order)];
}

/** Lets a process do its part to its end. Rejects when it failed. */
export async function runVictim(order: VictimOrder): Promise<void> {
  const ended = await run(victimCommand(order));
  if (ended.code !== 0) throw failed(order, ended);
}

export function failed(order: VictimOrder, { code, signal, stderr }: Ended): Error {
  const how = signal ?? `code ${code}`;
  return new NotRun(
    `${order.part} of ${order.flow} ended by ${how}: ${stderr.trim().slice(-800) || lastOf(order)}`,
  );
}

function lastOf({ journal }: VictimOrder): string {
  return readFileSync(journal, 'utf8').slice(-400);
}
