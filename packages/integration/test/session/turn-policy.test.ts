import { createAgent, type SessionOptions, type TurnPolicy } from '@lousho/core';
import { mockModel, transcriptFaults } from '@lousho/core/testing';
import { memoryStore } from '@lousho/store-memory';
import { describe, expect, it } from 'vitest';
import { roles } from '../approval/support/results.js';
import { deferred, until } from '../executor/support/deferred.js';
import { calls } from '../executor/support/tools.js';
import { conversation } from '../steering/support/conversation.js';
import { codeOf } from '../support/rejections.js';

/** A session whose first turn calls `a` and `b`, one after the other; `a` is done when the test says so. */
function office(turnPolicy?: TurnPolicy, gated: readonly string[] = []) {
  const gate = deferred<string>();
  const store = memoryStore();
  const provider = mockModel([calls('a', 'b'), 'One.', 'Two.', 'Three.']);
  const does = { a: () => gate.promise, b: () => 'b done' };
  const { agent, effects } = conversation({ provider, store, does, gated, toolConcurrency: 1 });
  const options: SessionOptions = { id: 'chat', ...(turnPolicy && { turnPolicy }) };
  return { agent, store, provider, effects, gate, open: () => agent.session(options) };
}

describe('what is sent while a turn of the session goes on', () => {
  it('is a turn of its own, by default', async () => {
    for (const policy of [undefined, 'wait'] as const) {
      const { open, effects, gate } = office(policy);
      const session = open();
      const first = session.send('Coffee');
      await until(() => effects.length === 1);
      const second = session.send('And tea');
      gate.resolve('a done');
      expect([(await first).text, (await second).text]).toEqual(['One.', 'Two.']);
      expect(roles(await session.messages())).toBe(
        'user assistant(a,b) tool(a) tool(b) assistant user assistant',
      );
    }
  });

  it('joins it with `queue`, at its next step, and resolves with its result', async () => {
    const { open, effects, gate } = office('queue');
    const session = open();
    const first = session.send('Coffee');
    await until(() => effects.length === 1);
    // Through another object over the same store, too.
    const others = [session.send('And tea'), open().send('And milk')];
    gate.resolve('a done');
    const results = await Promise.all([first, ...others]);
    expect(results.map(({ text }) => text)).toEqual(['One.', 'One.', 'One.']);
    expect(effects).toEqual(['a', 'b']);
    expect(roles(await session.messages())).toBe('user assistant(a,b) tool(a) tool(b) user user assistant');
    expect((await session.messages()).slice(4, 6).map(({ content }) => content)).toEqual([
      'And tea',
      'And milk',
    ]);
  });

  it('joins it with `steer`, ahead of what has not begun', async () => {
    const { open, effects, gate } = office('steer');
    const session = open();
    const first = session.send('Coffee');
    await until(() => effects.length === 1);
    const second = session.send('No, tea');
    gate.resolve('a done');
    expect([(await first).text, (await second).text]).toEqual(['One.', 'One.']);
    expect(effects).toEqual(['a']);
    expect(transcriptFaults(await session.messages())).toEqual([]);
    expect(roles(await session.messages())).toBe('user assistant(a,b) tool(a) tool(b) user assistant');
  });

  it('in the same breath joins as well', async () => {
    const provider = mockModel(['Both.']);
    const agent = createAgent({ provider, store: memoryStore() });
    const session = agent.session({ id: 'chat', turnPolicy: 'queue' });
    const both = await Promise.all([session.send('Coffee'), session.send('And tea')]);
    expect(both.map(({ text }) => text)).toEqual(['Both.', 'Both.']);
    expect(roles(await session.messages())).toBe('user user assistant');
  });

  it('joins a turn that is streamed', async () => {
    const { open, effects, gate } = office('queue');
    const session = open();
    const run = session.stream('Coffee');
    await until(() => effects.length === 1);
    const second = session.send('And tea');
    gate.resolve('a done');
    expect([(await run.result).text, (await second).text]).toEqual(['One.', 'One.']);
  });

  it('joins the last one in line: it overtakes nobody', async () => {
    const { agent, open, effects, gate } = office('queue');
    const first = open().send('Coffee');
    await until(() => effects.length === 1);
    const waiting = agent.session({ id: 'chat' }).send('Then cake');
    const joining = open().send('With cream');
    gate.resolve('a done');
    expect((await first).text).toBe('One.');
    expect([(await waiting).text, (await joining).text]).toEqual(['Two.', 'Two.']);
    const said = (await open().messages()).filter(({ role }) => role === 'user');
    expect(said.map(({ content }) => content)).toEqual(['Coffee', 'Then cake', 'With cream']);
  });

  it('with options of its own, or to a turn on somebody’s behalf, is a turn of its own', async () => {
    for (const [own, theirs] of [
      [{}, { principal: 'ana' }],
      [{ principal: 'ben' }, {}],
      [{ signal: new AbortController().signal }, {}],
    ]) {
      const { open, effects, gate } = office('queue');
      const first = open().send('Coffee', theirs);
      await until(() => effects.length === 1);
      const second = open().send('And tea', own);
      gate.resolve('a done');
      expect([(await first).text, (await second).text]).toEqual(['One.', 'Two.']);
    }
  });

  it('that could not be said to a run is judged as a turn of its own', async () => {
    const { open, effects, gate } = office('queue');
    const first = open().send('Coffee');
    await until(() => effects.length === 1);
    const empty = open().send('');
    const replayed = open().send([
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: 'Hello.' },
      { role: 'user', content: 'And tea' },
    ]);
    gate.resolve('a done');
    expect(await codeOf(empty)).toBe('LOUSHO_CONFIG_MISSING_INPUT');
    expect([(await first).text, (await replayed).text]).toEqual(['One.', 'Two.']);
  });

  it('comes too late for a turn that pauses: it waits for the person as everybody does', async () => {
    const { open, effects, gate, agent } = office('queue', ['b']);
    const first = open().send('Coffee');
    await until(() => effects.length === 1);
    const second = open().send('And tea');
    gate.resolve('a done');
    const { approvalId: id = '' } = await first;
    expect(await codeOf(second)).toBe('LOUSHO_SESSION_AWAITING_APPROVAL');
    await agent.approvals.resolve({ id, approved: true });
    expect((await open().send('And tea')).text).toBe('Two.');
  });

  it('comes too late for a turn that is aborted: it is the next one', async () => {
    const controller = new AbortController();
    const { open, effects, gate } = office('queue');
    const first = open().send('Coffee', { signal: controller.signal });
    await until(() => effects.length === 1);
    const second = open().send('And tea');
    controller.abort();
    gate.resolve('a done');
    expect((await first).finishReason).toBe('aborted');
    expect((await second).text).toBe('One.');
    const said = (await open().messages()).filter(({ content }) => content === 'And tea');
    expect(said).toHaveLength(1);
  });

  it('joins what a fork of the session is doing, by the same policy', async () => {
    const provider = mockModel(['One.', 'Both.']);
    const agent = createAgent({ provider, store: memoryStore() });
    const session = agent.session({ id: 'chat', turnPolicy: 'queue' });
    await session.send('Coffee');
    const fork = await session.fork({ fromStep: 0 });
    const both = await Promise.all([fork.send('Tea'), fork.send('With milk')]);
    expect(both.map(({ text }) => text)).toEqual(['Both.', 'Both.']);
  });

  it('by a policy that there is not, or an option that there is not: refused at once', async () => {
    const agent = createAgent({ provider: mockModel([]), store: memoryStore() });
    const opening = (options: object) => async () => agent.session(options as SessionOptions);
    expect(await codeOf(opening({ turnPolicy: 'interrupt' })())).toBe('LOUSHO_CONFIG_INVALID');
    expect(await codeOf(opening({ turnpolicy: 'queue' })())).toBe('LOUSHO_CONFIG_INVALID');
  });
});
