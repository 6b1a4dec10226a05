import { type Checkpoint, PropagatingToolError } from '@lousho/core';
import { describe, expect, it } from 'vitest';
import { resultOf, roles } from '../approval/support/results.js';
import { calls, scriptedModel, workshop } from '../approval/support/workshop.js';
import { deferred, settled } from '../executor/support/deferred.js';
import { newStorageOf, onFullStores } from '../harness/on-stores.js';
import { codeOf, rejection } from '../support/rejections.js';
import { asked, office } from './support/office.js';
import { view } from './support/view.js';

class Refused extends Error {
  readonly status = 400;
}

/** A tool that dies with its process the first time. */
function deadly(): () => string {
  let lives = 0;
  return () => {
    if (++lives === 1) throw new PropagatingToolError('the process died');
    return 'done';
  };
}

describe('a conversation', () => {
  onFullStores((newStorage) => {
    it('is committed turn by turn, without the system prompt, and any process goes on with it', async () => {
      const { open } = newStorage();
      const { start } = office(open, {
        turns: [calls('a'), 'one', 'two'],
        open: ['a'],
        instructions: 'Be brief.',
      });
      const first = start();
      const result = await first.agent.session({ id: 'chat' }).send('Hello');
      expect(result).toMatchObject({ text: 'one', finishReason: 'stop', sessionId: 'chat', steps: 2 });
      const second = start();
      const session = second.agent.session({ id: 'chat' });
      await session.send('And now?');
      expect(second.model.requests[0]?.messages.map(({ role }) => role).join(' ')).toBe(
        'system user assistant tool assistant user',
      );
      expect(roles(await session.messages())).toBe('user assistant(a) tool(a) assistant user assistant');
      expect(second.effects).toEqual(['a']);
      expect(await second.agent.pending()).toEqual([]);
    });

    it('takes calls in call order', async () => {
      const { open } = newStorage();
      const { agent } = office(open, { turns: ['one', 'two', 'three'] }).start();
      const session = agent.session({ id: 'chat' });
      const results = await Promise.all(['a', 'b', 'c'].map((text) => session.send(text)));
      expect(results.map(({ text }) => text)).toEqual(['one', 'two', 'three']);
      expect((await session.messages()).map(({ content }) => content)).toEqual([
        'a',
        'one',
        'b',
        'two',
        'c',
        'three',
      ]);
    });

    it('streams a turn, and says that it is done when the transcript is saved', async () => {
      const { open } = newStorage();
      const { agent } = office(open, { turns: ['one'] }).start();
      const reader = office(open, { turns: [] }).start().agent.session({ id: 'chat' });
      const run = agent.session({ id: 'chat' }).stream('Hello');
      const seen: string[] = [];
      for await (const event of run) {
        seen.push(event.type);
        if (event.type === 'run.done') expect(roles(await reader.messages())).toBe('user assistant');
      }
      expect(seen[0]).toBe('run.start');
      expect(seen.at(-1)).toBe('run.done');
      expect((await run.result).text).toBe('one');
    });

    it('H1 a crash on step 2 is finished by a fresh process with one model call, and then nothing is pending', async () => {
      const { open } = newStorage();
      const { start, effects } = office(open, {
        turns: [calls('a'), calls('b'), 'done'],
        open: ['a', 'b'],
        does: { b: deadly() },
      });
      const first = start();
      await expect(first.agent.session({ id: 'chat' }).send('Go')).rejects.toThrow('the process died');
      const second = start();
      const session = second.agent.session({ id: 'chat' });
      expect(await session.pending()).toEqual({ status: 'in-progress' });
      expect(await second.agent.pending()).toMatchObject([
        { sessionId: 'chat', kind: 'session', checkpointId: 'chat.turn-0', status: 'in-progress', step: 2 },
      ]);
      expect(await session.resume()).toMatchObject({ text: 'done', finishReason: 'stop' });
      expect(asked(second)).toBe(1);
      expect(roles(await session.messages())).toBe(
        'user assistant(a) tool(a) assistant(b) tool(b) assistant',
      );
      expect(effects).toEqual(['a', 'b', 'b']);
      expect(await open().checkpoints.load('chat.turn-0')).toBeNull();
      expect(await session.pending()).toBeNull();
      expect(await session.resume()).toBeNull();
    });

    it('H1 agent.resume() finishes the turn of a session as well', async () => {
      const { open } = newStorage();
      const { start } = office(open, { turns: [calls('a'), 'done'], open: ['a'], does: { a: deadly() } });
      await start()
        .agent.session({ id: 'chat' })
        .send('Go')
        .catch(() => undefined);
      const { agent } = start();
      expect((await agent.resume('chat'))?.text).toBe('done');
      expect(await agent.resume('chat')).toBeNull();
      expect(roles(await agent.session({ id: 'chat' }).messages())).toBe(
        'user assistant(a) tool(a) assistant',
      );
    });

    it('H2 a send while a turn is pending finishes that turn, then the new one, with two model calls', async () => {
      const { open } = newStorage();
      const { start } = office(open, {
        turns: [calls('a'), 'one', 'two'],
        open: ['a'],
        does: { a: deadly() },
      });
      await start()
        .agent.session({ id: 'chat' })
        .send('First')
        .catch(() => undefined);
      const second = start();
      const session = second.agent.session({ id: 'chat' });
      expect((await session.send('Second')).text).toBe('two');
      expect(asked(second)).toBe(2);
      expect(roles(await session.messages())).toBe('user assistant(a) tool(a) assistant user assistant');
    });

    it('H3 a turn whose transcript could not be saved is adopted by the next resume: null, and no model call', async () => {
      const { open } = newStorage();
      const { start } = office(open, { turns: ['one', 'two'] });
      const failing = view(open(), (name, _, next) => {
        if (name === 'sessions.saveIf') throw new Error('the disk is full');
        return next();
      });
      const first = start({ store: failing });
      await expect(first.agent.session({ id: 'chat' }).send('Hello')).rejects.toThrow('the disk is full');
      const second = start();
      const session = second.agent.session({ id: 'chat' });
      expect(await session.resume()).toBeNull();
      expect(asked(second)).toBe(0);
      expect(roles(await session.messages())).toBe('user assistant');
      expect(await open().checkpoints.load('chat.turn-0')).toBeNull();
    });

    it('H3 a send adopts it too, and goes on', async () => {
      const { open } = newStorage();
      const { start } = office(open, { turns: ['one', 'two'] });
      const failing = view(open(), (name, _, next) => {
        if (name === 'sessions.saveIf') throw new Error('the disk is full');
        return next();
      });
      await start({ store: failing })
        .agent.session({ id: 'chat' })
        .send('Hello')
        .catch(() => undefined);
      const second = start();
      const session = second.agent.session({ id: 'chat' });
      expect((await session.send('More')).text).toBe('two');
      expect(asked(second)).toBe(1);
      expect(roles(await session.messages())).toBe('user assistant user assistant');
    });

    it('H7 a finished turn leaves no checkpoint, and its history can be forked', async () => {
      const { open } = newStorage();
      const { start, effects } = office(open, { turns: [calls('a'), 'one', 'two'], open: ['a'] });
      const { agent } = start();
      await agent.session({ id: 'chat' }).send('First');
      const { checkpoints } = open();
      expect(await checkpoints.load('chat.turn-0')).toBeNull();
      expect((await checkpoints.history('chat.turn-0')).length).toBeGreaterThan(0);
      const before = await checkpoints.history('chat.turn-0');
      const fork = await agent.fork('chat.turn-0', { fromStep: 1, patch: { appendInput: 'What if?' } });
      expect(fork.sessionId).toBe('chat.turn-0.fork-1');
      const result = await agent.resume(fork.sessionId);
      expect(roles(result?.messages ?? [])).toBe('user assistant(a) tool(a) user assistant');
      expect(effects).toEqual(['a']);
      expect(await checkpoints.history('chat.turn-0')).toEqual(before);
      expect(roles(await agent.session({ id: 'chat' }).messages())).toBe(
        'user assistant(a) tool(a) assistant',
      );
    });

    it('H9 a turn that failed for good is not tried again by a send; discardPending() drops it', async () => {
      const { open } = newStorage();
      const { start } = office(open, { turns: ['one', 'two'] });
      const poisoned = start({ model: scriptedModel([calls('a'), new Refused('bad request')]), open: ['a'] });
      await expect(poisoned.agent.session({ id: 'chat' }).send('Bad')).rejects.toThrow('bad request');
      const second = start({ open: ['a'] });
      const session = second.agent.session({ id: 'chat' });
      expect(await second.agent.pending()).toMatchObject([
        { sessionId: 'chat', attempts: 1, lastError: { retryable: false } },
      ]);
      const refusal = await rejection(session.send('More'));
      expect(refusal.code).toBe('LOUSHO_SESSION_TURN_FAILED');
      expect(refusal.message).toContain('discardPending()');
      expect(asked(second)).toBe(0);
      await session.discardPending();
      expect(await session.pending()).toBeNull();
      expect(await second.agent.pending()).toEqual([]);
      expect((await session.send('Good')).text).toBe('one');
      expect((await session.messages()).map(({ content }) => content)).toEqual(['Good', 'one']);
    });

    it('H9 an explicit resume() tries it again and counts the attempts', async () => {
      const { open } = newStorage();
      const { start } = office(open, { turns: [calls('a'), new Refused('bad request')], open: ['a'] });
      await start()
        .agent.session({ id: 'chat' })
        .send('Bad')
        .catch(() => undefined);
      const { agent } = start();
      await expect(agent.session({ id: 'chat' }).resume()).rejects.toThrow('bad request');
      expect(await agent.pending()).toMatchObject([{ attempts: 2 }]);
    });

    it('H10 a session object that is behind reads again: both messages are present', async () => {
      const { open } = newStorage();
      const { start } = office(open, { turns: ['one', 'two', 'three'] });
      const [left, right] = [start().agent.session({ id: 'chat' }), start().agent.session({ id: 'chat' })];
      await left.send('a');
      await right.send('b');
      await left.send('c');
      expect((await right.messages()).map(({ content }) => content)).toEqual([
        'a',
        'one',
        'b',
        'two',
        'c',
        'three',
      ]);
    });

    it('H11 an abort while the model answers keeps the user message', async () => {
      const { open } = newStorage();
      const { start } = office(open, { turns: ['one', 'two'] });
      const stop = new AbortController();
      const model = {
        name: 'slow',
        requests: [],
        generate: async () => {
          stop.abort();
          await new Promise(() => undefined);
          return { text: 'never' };
        },
      };
      const session = start({ model }).agent.session({ id: 'chat' });
      expect((await session.send('Hello', { signal: stop.signal })).finishReason).toBe('aborted');
      expect((await session.messages()).map(({ role, content }) => [role, content])).toEqual([
        ['user', 'Hello'],
      ]);
      expect(await session.pending()).toBeNull();
      const again = start();
      await again.agent.session({ id: 'chat' }).send('Still there?');
      expect(again.model.requests[0]?.messages.map(({ content }) => content)).toEqual([
        'Hello',
        'Still there?',
      ]);
    });

    it('H11 an abort in a tool keeps what the turn has, each call with a result', async () => {
      const { open } = newStorage();
      const stop = new AbortController();
      const { start } = office(open, {
        turns: [calls('a', 'b'), 'one'],
        open: ['a', 'b'],
        toolConcurrency: 1,
        does: {
          a: () => {
            stop.abort();
            return 'a done';
          },
        },
      });
      const first = start();
      const session = first.agent.session({ id: 'chat' });
      expect((await session.send('Go', { signal: stop.signal })).finishReason).toBe('aborted');
      const messages = await session.messages();
      expect(roles(messages)).toBe('user assistant(a,b) tool(a) tool(b)');
      expect(resultOf(messages, 'a')).toBe('a done');
      expect(resultOf(messages, 'b')).toMatchObject({ kind: 'not-run', isError: true });
      expect(first.effects).toEqual(['a']);
      expect(await first.agent.pending()).toEqual([]);
      expect((await session.send('Go on')).text).toBe('one');
    });

    it('keeps bytes and reasoning of the transcript', async () => {
      const { open } = newStorage();
      const { agent } = office(open, { turns: ['seen', 'again'] }).start();
      const image = { type: 'image', data: new Uint8Array([0, 255, 7]), mediaType: 'image/png' } as never;
      const session = agent.session({ id: 'chat' });
      await session.send([image]);
      await session.send('More');
      const [first] = await session.messages();
      expect(first?.content).toEqual([image]);
    });

    it('a system message in the input is not added', async () => {
      const { open } = newStorage();
      const { agent } = office(open, { turns: ['one', 'two'], instructions: 'Be brief.' }).start();
      const session = agent.session({ id: 'chat' });
      await session.send('Hello');
      await session.send([
        { role: 'system', content: 'Be rude.' },
        { role: 'user', content: 'More' },
      ]);
      expect(roles(await session.messages())).toBe('user assistant user assistant');
    });

    it('each turn has its own budget of steps, which spans its crashes', async () => {
      const { open } = newStorage();
      const { start } = office(open, {
        turns: [calls('a'), calls('b'), calls('a'), 'never', 'three'],
        open: ['a', 'b'],
        maxSteps: 2,
        does: { b: deadly() },
      });
      await start()
        .agent.session({ id: 'chat' })
        .send('Go')
        .catch(() => undefined);
      const { agent } = start();
      const session = agent.session({ id: 'chat' });
      expect(await session.resume()).toMatchObject({ finishReason: 'max-steps', steps: 2 });
      expect(roles(await session.messages())).toBe('user assistant(a) tool(a) assistant(b) tool(b)');
      expect((await session.send('Go on')).steps).toBe(2);
    });
  });
});

describe('the calls of a session', () => {
  const { agent } = workshop({ store: {}, turns: [] });

  it.each(['', 'a.b', '.a', 'a/b', '../evil', 'ü', 'a'.repeat(129), 7 as unknown as string])(
    'refuse the session id %j',
    (id) => {
      const { open } = newStorageOf('memory');
      expect(() => workshop({ store: open(), turns: [] }).agent.session({ id })).toThrow(
        expect.objectContaining({ code: 'LOUSHO_SESSION_ID_INVALID' }),
      );
    },
  );

  it('take ids of 1 and of 128 characters, and make one up', () => {
    const { open } = newStorageOf('memory');
    const { agent } = workshop({ store: open(), turns: [] });
    expect(agent.session({ id: 'a' }).id).toBe('a');
    expect(agent.session({ id: 'a'.repeat(128) }).id).toHaveLength(128);
    expect(agent.session().id).toMatch(/^[A-Za-z0-9_-]{1,128}$/);
    expect(agent.session().id).not.toBe(agent.session().id);
  });

  it('need a store with sessions and checkpoints', () => {
    const { open } = newStorageOf('memory');
    const { sessions, checkpoints } = open();
    expect(() => agent.session()).toThrow(
      expect.objectContaining({ code: 'LOUSHO_CONFIG_MISSING_CHECKPOINT_STORE' }),
    );
    expect(() => workshop({ store: { sessions }, turns: [] }).agent.session()).toThrow(
      expect.objectContaining({ code: 'LOUSHO_CONFIG_MISSING_CHECKPOINT_STORE' }),
    );
    expect(() => workshop({ store: { checkpoints }, turns: [] }).agent.session()).toThrow(/sessions/);
  });

  it('refuse options that they do not know, and input that is nothing', async () => {
    const { open } = newStorageOf('memory');
    const session = workshop({ store: open(), turns: ['one'] }).agent.session({ id: 'chat' });
    expect(await codeOf(session.send('Hi', { maxSteps: 3 } as never))).toBe('LOUSHO_CONFIG_INVALID');
    expect(await codeOf(session.send([]))).toBe('LOUSHO_CONFIG_MISSING_INPUT');
    expect(await codeOf(session.resume({ until: 3 } as never))).toBe('LOUSHO_CONFIG_INVALID');
  });

  it('go on only for the principal that the turn began for', async () => {
    const { open } = newStorageOf('memory');
    const { start } = office(open, { turns: [calls('a'), 'one'], open: ['a'], does: { a: deadly() } });
    const options = { principal: { user: 'ana' }, metadata: { shop: 7 } };
    await start()
      .agent.session({ id: 'chat' })
      .send('Go', options)
      .catch(() => undefined);
    const stored = (await open().checkpoints.load('chat.turn-0')) as Checkpoint;
    expect(stored).toMatchObject(options);
    const session = start().agent.session({ id: 'chat' });
    expect(await codeOf(session.send('More', { principal: { user: 'bob' } }))).toBe('LOUSHO_CONFIG_INVALID');
    expect((await session.resume())?.text).toBe('one');
  });

  it('close() of the agent waits for them', async () => {
    const { open } = newStorageOf('memory');
    const gate = deferred<void>();
    const model = { name: 'slow', requests: [], generate: () => gate.promise.then(() => ({ text: 'one' })) };
    const { agent } = workshop({ store: open(), turns: [], model });
    const send = agent.session({ id: 'chat' }).send('Hi');
    let isClosed = false;
    const closing = agent.close().then(() => {
      isClosed = true;
    });
    await settled();
    expect(isClosed).toBe(false);
    gate.resolve();
    await Promise.all([send, closing]);
  });

  it('an agent without instructions and one with them share a conversation', async () => {
    const { open } = newStorageOf('memory');
    const { start } = office(open, { turns: ['one', 'two'] });
    await start().agent.session({ id: 'chat' }).send('a');
    const second = start({ instructions: 'Be brief.' });
    await second.agent.session({ id: 'chat' }).send('b');
    expect(second.model.requests[0]?.messages[0]).toMatchObject({ role: 'system', content: 'Be brief.' });
  });
});
