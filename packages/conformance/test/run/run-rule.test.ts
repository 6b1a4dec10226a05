import { type Check, NotRun, promiseSame, runConformance, sentence, type World } from '@lousho/conformance';
import { referenceHarness } from '@lousho/conformance/reference';
import { describe, expect, it } from 'vitest';

async function outcomeOf(check: Omit<Check, 'needs'>, timeLimitMs = 5_000) {
  const catalogue = sentence('TEST-01', 'Something is so.', check);
  const { rules } = await runConformance(referenceHarness(), { catalogue, timeLimitMs, seed: 7, tier: 3 });
  return rules[0]?.outcome;
}

describe('a rule', () => {
  it('passes when its check resolves', async () => {
    expect(await outcomeOf({ check: async () => {} })).toMatchObject({ kind: 'passed' });
  });

  it('fails with what was promised and what was seen', async () => {
    const check = async () => promiseSame('the answer', 41, 42);
    expect(await outcomeOf({ check })).toMatchObject({
      kind: 'failed',
      because: 'violation',
      promised: 'the answer: 42',
      seen: '41',
    });
  });

  it('fails, and not by an assertion, when a call rejects that should not', async () => {
    const check = async () => {
      throw new RangeError('broken', { cause: new Error('fetch failed') });
    };
    expect(await outcomeOf({ check })).toMatchObject({
      kind: 'failed',
      because: 'error',
      promised: 'Something is so.',
      seen: expect.stringMatching(/RangeError: broken[\s\S]*caused by: Error: fetch failed/),
    });
  });

  it('fails when it does not settle in time, and its clients are closed', async () => {
    const worlds: World[] = [];
    const check = async (world: World) => {
      worlds.push(world);
      await world.open();
      await new Promise(() => {});
    };
    expect(await outcomeOf({ check }, 50)).toMatchObject({
      kind: 'failed',
      because: 'unsettled',
      seen: 'it did not settle within 50 ms',
    });
  });

  it('is not run when its check finds that it cannot', async () => {
    const check = async () => {
      throw new NotRun('no strace here');
    };
    expect(await outcomeOf({ check })).toEqual({ kind: 'not-run', reason: 'no strace here' });
  });

  it('sees the same choices with the same seed, and others with another', async () => {
    const seen: number[] = [];
    const catalogue = sentence('TEST-01', 'It chooses.', {
      check: async ({ random }) => void seen.push(random.int(1e9)),
    });
    for (const seed of [7, 7, 8]) await runConformance(referenceHarness(), { catalogue, seed });
    expect(seen[0]).toBe(seen[1]);
    expect(seen[2]).not.toBe(seen[0]);
  });

  it('has storages of its own, and time of its own', async () => {
    const catalogue = [1, 2, 3, 4].flatMap((n) =>
      sentence(`TEST-0${n}`, 'It is alone.', {
        check: async ({ open, advance, clock }) => {
          const { checkpoints } = await open();
          promiseSame('the list', await checkpoints.list(), []);
          await checkpoints.save('a', { sessionId: 'a', stepIndex: 1, messages: [] });
          const before = clock.now();
          await advance(n);
          promiseSame('time moved by', clock.now() - before, n);
        },
      }),
    );
    const { counts } = await runConformance(referenceHarness(), { catalogue });
    expect(counts.passed).toBe(4);
  });
});

describe('a run', () => {
  it('never has more rules under way than it was told', async () => {
    let running = 0;
    let most = 0;
    const check = async () => {
      running += 1;
      most = Math.max(most, running);
      await new Promise((resolve) => setImmediate(resolve));
      running -= 1;
    };
    const checks = Array.from({ length: 12 }, (_, index) => ({ name: `n${index}`, check }));
    await runConformance(referenceHarness(), {
      catalogue: sentence('TEST-01', 'x', ...checks),
      concurrency: 3,
    });
    expect(most).toBe(3);
  });

  it('asks for rules by their id, their sentence or their family', async () => {
    const seen = async (...rules: string[]) =>
      (await runConformance(referenceHarness(), { rules })).rules.filter(
        ({ outcome }) => outcome.kind === 'passed',
      ).length;
    expect(await seen('HISTORY-06:limited')).toBe(1);
    expect(await seen('HISTORY-06')).toBeGreaterThan(2);
    expect(await seen('SESSION', 'HISTORY-01')).toBeGreaterThan(10);
  });

  it('rejects when the harness gives no storage', async () => {
    const harness = {
      name: 'broken',
      createStorage: async () => {
        throw new Error('no server');
      },
    };
    await expect(runConformance(harness)).rejects.toThrow('no server');
  });
});
