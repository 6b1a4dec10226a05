import type { Observation, Observer, Outcome } from '@lousho/core';
import { describe, expect, it } from 'vitest';
import { Watch, watched } from '../../dist/executor/watch.js';

const STEP = { runId: 'r', step: 1, agentName: 'a' };

function watching(observer: Observer): { watch: Watch; warnings: unknown[] } {
  const warnings: unknown[] = [];
  const logger = { warn: (_: string, error?: unknown) => void warnings.push(error) };
  return { watch: Watch.of(observer, logger) as Watch, warnings };
}

const stepOf = (watch: Watch | undefined, work: (watch: Watch | undefined) => Promise<unknown>) =>
  watched(
    watch,
    (observer, parent) => observer.step?.(STEP, parent),
    work,
    () => ({}),
  );

function observation(parts: Partial<Observation<Outcome>> = {}): Observation<Outcome> {
  return { within: (work) => work(), end: () => undefined, ...parts };
}

describe('what is watched', () => {
  it('is given the observation around it as its parent', async () => {
    const outer = observation();
    const parents: unknown[] = [];
    const { watch } = watching({
      step: (_, parent) => {
        parents.push(parent);
        return parents.length === 1 ? outer : undefined;
      },
    });
    await stepOf(watch, (inside) => stepOf(inside, (deeper) => stepOf(deeper, async () => undefined)));
    // The second one was not observed: what is in it belongs to the first.
    expect(parents).toEqual([undefined, outer, outer]);
  });

  it('ends with its error, which is thrown on', async () => {
    const ends: Outcome[] = [];
    const { watch, warnings } = watching({ step: () => observation({ end: (end) => void ends.push(end) }) });
    const error = new Error('work');
    await expect(stepOf(watch, () => Promise.reject(error))).rejects.toBe(error);
    expect(ends).toEqual([{ error }]);
    expect(warnings).toEqual([]);
  });

  it('is only called without an observer', async () => {
    expect(Watch.of(undefined, { warn: () => undefined })).toBeUndefined();
    const value = Promise.resolve(7);
    expect(stepOf(undefined, () => value)).toBe(value);
  });
});

describe('an observer that fails', () => {
  const fault = new Error('observer');
  const fail = () => {
    throw fault;
  };
  it.each<[string, Observer]>([
    ['in a beginning', { step: fail }],
    ['before the work', { step: () => observation({ within: fail }) }],
    [
      'behind the work',
      {
        step: () =>
          observation({
            within: (work) => {
              work();
              throw fault;
            },
          }),
      },
    ],
    ['in an end', { step: () => observation({ end: fail }) }],
  ])('%s changes nothing: the work is done once, and it is said once', async (_, observer) => {
    const { watch, warnings } = watching(observer);
    let done = 0;
    const work = async () => ++done;
    expect(await stepOf(watch, work)).toBe(1);
    expect(await stepOf(watch, work)).toBe(2);
    expect(warnings).toEqual([fault]);
  });

  it('cannot keep work from being done, nor do it twice, nor change what it gives', async () => {
    let done = 0;
    const work = async () => ++done;
    const never = watching({ step: () => observation({ within: () => undefined as never }) });
    expect(await stepOf(never.watch, work)).toBe(1);
    const twice = watching({
      step: () =>
        observation({
          within: (inner) => {
            inner();
            return inner();
          },
        }),
    });
    expect(await stepOf(twice.watch, work)).toBe(2);
  });

  it('fails also in a note without anybody noticing', () => {
    const { watch, warnings } = watching({ note: fail });
    watch.note({ kind: 'lease-lost', sessionId: 's' });
    expect(warnings).toEqual([fault]);
  });
});
