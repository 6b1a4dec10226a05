import { type AgentStore, createAgent } from '@lousho/core';
import { mockModel, type VirtualTimers, virtualTimers } from '@lousho/core/testing';
import { memoryStore } from '@lousho/store-memory';
import { plainTool } from './plain-tool.js';
import { box, cross, path, picture, text } from './svg.js';
import { watchedStore } from './watched-store.js';

const SECOND = 1_000;
const TTL = 30 * SECOND;
const DIES_AT = 25 * SECOND;
const ENDS_AT = 65 * SECOND;

interface LeaseCall {
  readonly at: number;
  readonly process: 'A' | 'B';
  readonly does: 'takes' | 'renews' | 'is refused' | 'releases';
}

/** Process A is killed in a tool; process B, which sweeps every ten seconds, takes the run over when A's lease is over. */
async function takeOver(): Promise<readonly LeaseCall[]> {
  const calls: LeaseCall[] = [];
  const world = virtualTimers(0);
  const store = memoryStore({ clock: world });
  const client = (process: 'A' | 'B') =>
    watchedStore(store, ({ method, answer }) => {
      const does = leaseCall(method, answer);
      if (does) calls.push({ at: world.monotonic(), process, does });
    });
  // Its timers stand still when it dies; those of the world go on.
  const timersOfA = virtualTimers(0);
  const never = new Promise<never>(() => undefined);
  void agentOn(client('A'), timersOfA, () => never).send('Go', { sessionId: 'run' });
  await together([world, timersOfA], DIES_AT);
  const recovery = agentOn(client('B'), world, async () => 'done').recover({ intervalMs: 10 * SECOND });
  await world.advance(ENDS_AT - DIES_AT);
  const stopped = recovery.stop();
  await world.advance(0);
  await stopped;
  return calls;
}

async function together(clocks: readonly VirtualTimers[], untilMs: number): Promise<void> {
  for (let at = 0; at < untilMs; at += SECOND) for (const clock of clocks) await clock.advance(SECOND);
}

function agentOn(store: AgentStore, timers: VirtualTimers, execute: () => Promise<string>) {
  return createAgent({
    provider: mockModel([{ toolCalls: [{ name: 'work' }] }, 'Done.']),
    tools: [plainTool('work', execute)],
    store,
    lease: { ttlMs: TTL },
    ports: { timers },
  });
}

function leaseCall(method: string, answer: unknown): LeaseCall['does'] | undefined {
  if (method === 'acquireLease') return answer === false ? 'is refused' : 'takes';
  if (method === 'renewLease' || method === 'renewLeases') return 'renews';
  return method === 'releaseLease' ? 'releases' : undefined;
}

const LEFT = 90;
const PER_SECOND = 9.6;
const LANE = { A: 84, B: 168 } as const;
const x = (ms: number) => Math.round(LEFT + (ms / SECOND) * PER_SECOND);

export async function drawLeaseTimeline(): Promise<string> {
  const calls = await takeOver();
  const shapes = [
    text(16, 24, 'A process dies, another one takes its run over', { class: 'strong' }),
    text(16, 42, 'A lease of 30 s, renewed every 10 s; the other process looks every 10 s.', {
      class: 'soft',
    }),
    ...(['A', 'B'] as const).map((name) => text(16, LANE[name] + 17, `process ${name}`)),
    ...heldBars(calls),
  ];
  for (const [index, { at, process, does }] of calls.entries()) {
    const y = LANE[process];
    if (does === 'is refused') shapes.push(cross(x(at), y + 13), label(at, y + 42, 'busy'));
    else if (does === 'takes')
      shapes.push(
        tick(at, y),
        label(at, y + 42, calls[index + 1]?.does === 'releases' ? 'takes, finishes' : 'takes'),
      );
    else if (does === 'renews') shapes.push(tick(at, y), label(at, y + 42, 'renews'));
  }
  shapes.push(
    cross(x(DIES_AT), LANE.A + 13),
    text(x(DIES_AT), LANE.A - 6, 'killed', { class: 'bad', anchor: 'middle' }),
  );
  shapes.push(path(`M${x(0)} 232 H${x(ENDS_AT)}`));
  for (let at = 0; at <= ENDS_AT; at += 10 * SECOND) {
    shapes.push(path(`M${x(at)} 232 v5`), label(at, 250, `${at / SECOND} s`));
  }
  const says = calls.map(({ at, process, does }) => `${at / SECOND} s: ${process} ${does}`).join('; ');
  return picture({ width: 760, height: 264, title: 'A lease is taken over', says }, shapes);
}

/** From when a process had the lease until it gave it back, or until its last renewal ran out. */
function heldBars(calls: readonly LeaseCall[]): readonly string[] {
  return (['A', 'B'] as const).flatMap((process) => {
    const own = calls.filter((call) => call.process === process && call.does !== 'is refused');
    const [first] = own;
    const last = own.at(-1);
    if (!first || !last) return [];
    const until = last.does === 'releases' ? last.at : last.at + TTL;
    const width = Math.max(x(until) - x(first.at), 4);
    return [box({ x: x(first.at), y: LANE[process], width, height: 26 }, 'new')];
  });
}

function tick(at: number, y: number): string {
  return path(`M${x(at)} ${y} v26`);
}

function label(at: number, y: number, content: string): string {
  return text(x(at), y, content, { class: 'soft', anchor: 'middle' });
}
