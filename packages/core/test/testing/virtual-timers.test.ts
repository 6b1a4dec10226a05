import { virtualTimers } from '@lousho/core/testing';
import { describe, expect, it } from 'vitest';

describe('virtualTimers', () => {
  it('stands still until it is moved, both clocks alike', async () => {
    const timers = virtualTimers(1_000);
    expect([timers.now(), timers.monotonic()]).toEqual([1_000, 0]);
    await timers.advance(250);
    expect([timers.now(), timers.monotonic()]).toEqual([1_250, 250]);
  });

  it('wakes what is due, in the order of its time, each at its own time', async () => {
    const timers = virtualTimers();
    const woken: string[] = [];
    for (const [name, ms] of [
      ['c', 30],
      ['a', 10],
      ['b', 20],
      ['late', 31],
    ] as const)
      timers.schedule(() => woken.push(`${name}@${timers.monotonic()}`), ms);
    await timers.advance(30);
    expect(woken).toEqual(['a@10', 'b@20', 'c@30']);
    expect(timers.waiting).toBe(1);
  });

  it('wakes once; a cancelled timer never', async () => {
    const timers = virtualTimers();
    let wakes = 0;
    timers.schedule(() => wakes++, 10);
    const cancel = timers.schedule(() => wakes++, 10);
    cancel();
    cancel();
    await timers.advance(100);
    expect([wakes, timers.waiting]).toEqual([1, 0]);
  });

  it('wakes what is set on the way, also by asynchronous work', async () => {
    const timers = virtualTimers();
    const woken: number[] = [];
    const beat = () => {
      timers.schedule(() => {
        woken.push(timers.monotonic());
        void Promise.resolve().then(beat);
      }, 10);
    };
    beat();
    await timers.advance(35);
    expect(woken).toEqual([10, 20, 30]);
    expect(timers.monotonic()).toBe(35);
  });

  it('lets what is under way set its timer before time moves', async () => {
    const timers = virtualTimers();
    let wokenAt: number | undefined;
    void (async () => {
      await Promise.resolve();
      timers.schedule(() => {
        wokenAt = timers.monotonic();
      }, 10);
    })();
    await timers.advance(10);
    expect(wokenAt).toBe(10);
  });
});
