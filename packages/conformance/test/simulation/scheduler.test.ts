import { seeded } from '@lousho/conformance';
import { describe, expect, it } from 'vitest';
import { Life } from '../../dist/simulation/life.js';
import { Scheduler } from '../../dist/simulation/scheduler.js';

function scheduler(seed = 1) {
  const crashed: string[] = [];
  const made = new Scheduler({
    random: seeded(seed),
    badLuck: 1,
    onCrash: (life) => crashed.push(life.name),
  });
  return { scheduler: made, crashed };
}

describe('the scheduler', () => {
  it('lets one point go on at a time, and comes back when nothing moves any more', async () => {
    const { scheduler: one } = scheduler();
    const life = new Life('a', false);
    const steps: string[] = [];
    const walk = async (name: string) => {
      for (let step = 0; step < 3; step++) {
        await one.point(life, name, 'io');
        for (let tick = 0; tick < 20; tick++) await null;
        steps.push(`${name}${step}`);
        for (let tick = 0; tick < 20; tick++) await null;
        steps.push(`${name}${step}`);
      }
    };
    void walk('x');
    void walk('y');
    expect(await one.run(() => steps.length === 12)).toBe('done');
    // What a point sets going is over before the next one is chosen.
    for (let at = 0; at < 12; at += 2) expect(steps[at]).toBe(steps[at + 1]);
  });

  it('jumps to the next timer when nothing is ready', async () => {
    const { scheduler: one } = scheduler();
    const woken: number[] = [];
    const life = new Life('a', false);
    for (const ms of [90_000, 10, 3_600_000]) one.schedule(life, () => woken.push(one.now), ms);
    one.schedule(life, () => woken.push(-1), 20)();
    expect(await one.run(() => woken.length === 3)).toBe('done');
    expect(woken).toEqual([10, 90_000, 3_600_000]);
  });

  it('ends at the given time, and says when it is stuck', async () => {
    const { scheduler: one } = scheduler();
    one.schedule(new Life('a', false), () => {}, 1_000);
    expect(await one.run(() => false, 999)).toBe('over');
    expect(await one.run(() => false)).toBe('stuck');
  });

  it('a process that stands still is passed over with its timers, and goes on later', async () => {
    const { scheduler: one } = scheduler();
    const [still, other] = [new Life('still', false), new Life('other', false)];
    const seen: [string, number][] = [];
    still.stoppedUntil = 5_000;
    one.schedule(still, () => seen.push(['still', one.now]), 10);
    one.schedule(other, () => seen.push(['other', one.now]), 20);
    await one.run(() => seen.length === 2);
    expect(seen).toEqual([
      ['other', 20],
      ['still', 5_000],
    ]);
  });

  it('a process that crashed never goes on', async () => {
    const { scheduler: one, crashed } = scheduler();
    const life = new Life('a', true);
    let wentOn = 0;
    void one.point(life, 'p', 'io').then(() => wentOn++);
    one.schedule(life, () => wentOn++, 10);
    one.kill(life);
    void one.point(life, 'later', 'io').then(() => wentOn++);
    expect(await one.run(() => false)).toBe('stuck');
    expect([wentOn, crashed, one.isAtRest]).toEqual([0, ['a'], true]);
    await expect(life.died).rejects.toThrow('a crashed');
  });
});
