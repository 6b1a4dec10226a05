import type { Checkpoint } from '@lousho/core/contract';
import { describe, expect, it } from 'vitest';
import { followUpRun, newRun, resumedRun } from '../../dist/run/begin-run.js';
import { checkpointOf } from '../../dist/run/checkpoint-of.js';
import { forkedCheckpoint } from '../../dist/run/fork.js';
import { saying, state, user } from './support.js';

const SETTINGS = { sessionId: 's', runId: 'r2', agentMaxSteps: 10, systemPrompt: undefined };
const TRACE = { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' };

function stored(fields: Partial<Checkpoint> = {}): Checkpoint {
  return { sessionId: 's', runId: 'r1', stepIndex: 1, messages: [user('Go'), saying('Done')], ...fields };
}

const recordOf = (one: ReturnType<typeof state>) =>
  checkpointOf(one, { revision: 1, status: 'in-progress' }) as Checkpoint;

describe('where a run was observed', () => {
  it('is in the record of an observed run, and in no other', () => {
    expect(recordOf(state({ trace: TRACE })).trace).toEqual(TRACE);
    expect(recordOf(state())).not.toHaveProperty('trace');
  });

  it('stays with a run that is resumed by somebody who does not observe it', () => {
    expect(recordOf(resumedRun(SETTINGS, stored({ trace: TRACE }))).trace).toEqual(TRACE);
  });

  it('is nothing of the next run of the session', () => {
    const next = followUpRun(SETTINGS, stored({ trace: TRACE, status: 'finished' }), [user('More')]);
    expect(recordOf(next)).not.toHaveProperty('trace');
    expect(recordOf(newRun(SETTINGS, [user('Go')]))).not.toHaveProperty('trace');
  });

  it('is passed on to a fork, with the session that it is of', () => {
    const target = { sessionId: 's.fork-1', runId: 'r3' };
    expect(forkedCheckpoint(stored({ trace: TRACE }), target, {}).trace).toEqual({
      ...TRACE,
      forkedFrom: 's',
    });
    expect(forkedCheckpoint(stored(), target, {})).not.toHaveProperty('trace');
  });
});
