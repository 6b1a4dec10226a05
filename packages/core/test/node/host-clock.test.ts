import { execFileSync } from 'node:child_process';
import { hostClock, hostClockOver } from '@lousho/core/node';
import { describe, expect, it } from 'vitest';

describe('hostClock', () => {
  it('reads whole milliseconds that do not go backwards', () => {
    let before = hostClock.hostTime();
    for (let reading = 0; reading < 1_000; reading++) {
      const now = hostClock.hostTime();
      expect(Number.isInteger(now.monotonicMs)).toBe(true);
      expect(now.monotonicMs).toBeGreaterThanOrEqual(before.monotonicMs);
      before = now;
    }
    expect(Math.abs(hostClock.now() - Date.now())).toBeLessThan(1_000);
  });

  it('agrees with the clock of another process of this boot', () => {
    const script = `import { hostClock } from '@lousho/core/node'; process.stdout.write(JSON.stringify(hostClock.hostTime()));`;
    const before = hostClock.hostTime();
    const theirs = JSON.parse(
      execFileSync(process.execPath, ['--input-type=module', '-e', script], {
        cwd: import.meta.dirname,
        encoding: 'utf8',
      }),
    );
    const after = hostClock.hostTime();
    expect(theirs.domain).toBe(before.domain);
    expect(theirs.monotonicMs).toBeGreaterThanOrEqual(before.monotonicMs);
    expect(theirs.monotonicMs).toBeLessThanOrEqual(after.monotonicMs);
  });

  it('can be made over a clock that a test moves', () => {
    let ms = 0;
    const clock = hostClockOver({ now: () => 1_000 + ms, monotonic: () => ms }, 'test');
    ms = 5;
    expect(clock.hostTime()).toEqual({ domain: 'test', monotonicMs: 5, wallMs: 1_005 });
    expect([clock.now(), clock.monotonic()]).toEqual([1_005, 5]);
  });
});
