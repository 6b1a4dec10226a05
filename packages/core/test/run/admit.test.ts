import type { Checkpoint, Message } from '@lousho/core/contract';
import { describe, expect, it } from 'vitest';
import { admit } from '../../dist/run/admit.js';
import { inputAs, startInput } from '../../dist/run/run-config.js';
import { saying, user } from './support.js';

const SYSTEM: Message = { role: 'system', content: 'Be brief.' };

function stored(status: Checkpoint['status'], fields: Partial<Checkpoint> = {}): Checkpoint {
  return {
    sessionId: 's',
    stepIndex: 1,
    messages: [user('Go'), saying('one')],
    ...(status && { status }),
    ...fields,
  };
}

describe('how a call begins', () => {
  const [go, more] = [user('Go'), user('More')];
  it.each([
    ['nothing stored, no input', null, [], { kind: 'nothing' }],
    ['nothing stored, only a system message', null, [SYSTEM], { kind: 'nothing' }],
    ['nothing stored', null, [go], { kind: 'new', input: [go], ownSystem: undefined }],
    ['its own system message', null, [SYSTEM, go], { kind: 'new', input: [go], ownSystem: 'Be brief.' }],
    ['finished, no input', stored('finished'), [], { kind: 'finished' }],
    ['finished, new input', stored('finished'), [SYSTEM, more], { kind: 'follow-up', input: [more] }],
    ['A7 finished, the same again', stored('finished'), [go], { kind: 'follow-up', input: [go] }],
    [
      'A8 finished, the history sent again',
      stored('finished'),
      [go, saying('one'), more],
      { kind: 'follow-up', input: [more] },
    ],
    ['unfinished, no input', stored('in-progress'), [], { kind: 'resume', input: [] }],
    ['A13 without a status', stored(undefined), [more], { kind: 'resume', input: [more] }],
    ['paused', stored('awaiting-approval'), [more], { kind: 'awaiting-approval' }],
  ] as const)('%s', (_, record, input, expected) => {
    expect(admit(record, input)).toMatchObject(expected);
  });

  it('once per id: what is stored is what was asked for', () => {
    const once = { ifAbsent: true };
    expect(admit(null, [go], once).kind).toBe('new');
    expect(admit(stored('finished'), [more], once).kind).toBe('finished');
    expect(admit(stored('in-progress'), [more], once)).toMatchObject({ kind: 'resume', input: [] });
  });
});

describe('the input of a run, from its transcript', () => {
  const parts = [{ type: 'text' as const, text: 'Look' }];
  it.each([
    ['text', [user('Go')], 'Go'],
    ['parts', [{ role: 'user' as const, content: parts }], parts],
    ['messages', [user('Go')], [user('Go')]],
    // Of another shape than was noted, because a fork has rewritten it.
    ['text', [{ role: 'user' as const, content: parts }], [{ role: 'user', content: parts }]],
    ['parts', [user('Go')], [user('Go')]],
    ['text', [], []],
  ] as const)('as %s', (shape, messages, expected) => {
    expect(inputAs(messages, shape)).toEqual(expected);
  });

  it('is where the run began, not where the session did', () => {
    const messages = [SYSTEM, user('Go'), saying('one'), user('More'), saying('two')];
    const runConfig = { ctx: {}, inputAs: 'text' as const };
    const runStart = { messageIndex: 3, messageCount: 1 };
    expect(startInput(stored('in-progress', { messages, runStart, runConfig }))).toBe('More');
    expect(startInput(stored('in-progress', { messages }))).toEqual([user('More')]);
  });
});
