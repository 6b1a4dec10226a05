import { createAgent, type Message } from '@lousho/core';
import { virtualTimers } from '@lousho/core/testing';
import { memoryStore } from '@lousho/store-memory';
import type { ChatAnswer, ChatReply } from '@lousho/test-backends';
import { describe, expect, it } from 'vitest';
import { rejection } from '../support/rejections.js';
import { TURNS, weather, weatherTools } from './support/weather.js';

/** Ways in which a model call goes wrong that another one may not. */
const TROUBLE: readonly ((reply: ChatReply) => ChatAnswer)[] = [
  () => ({ status: 429, error: { message: 'slow down' }, headers: { 'retry-after': '1' } }),
  () => ({ status: 500, error: { message: 'oops' } }),
  () => ({ status: 503, error: { message: 'overloaded' } }),
  (reply) => ({ cut: 'before', reply }),
  (reply) => ({ cut: 'within', reply }),
  (reply) => ({ streamError: { message: 'overloaded', type: 'overloaded_error' }, reply }),
];

describe.each(['send', 'stream'] as const)('a run by %s()', (mode) => {
  const parts = { tools: weatherTools, instructions: 'Be brief.' };

  async function journey(trouble: boolean) {
    let calls = 0;
    const { server, provider } = await weather((request, reply) => {
      // Each answer fails once in each way before it is given.
      const one = TROUBLE[calls++ % (TROUBLE.length + 1)];
      if (!trouble || !one) return undefined;
      const answer = one(reply);
      return 'streamError' in answer && !request.stream ? { status: 500, error: answer.streamError } : answer;
    });
    const store = memoryStore();
    const sent = async (input: (typeof TURNS)[number]['input'] | []) => {
      const agent = createAgent({ provider, store, ...parts });
      const options = { sessionId: 'journey' };
      return mode === 'stream' ? agent.stream(input, options).result : agent.send(input, options);
    };
    let failures = 0;
    let messages: readonly Message[] = [];
    for (const { input } of TURNS) {
      let result = await sent(input).catch(() => undefined);
      for (; !result; failures++) result = await sent([]).catch(() => undefined);
      ({ messages } = result);
    }
    return { messages, failures, refusals: server.refusals };
  }

  it('whose every model call fails in six ways first ends as if none had', async () => {
    const smooth = await journey(false);
    const rough = await journey(true);
    expect(rough.messages).toEqual(smooth.messages);
    expect([smooth.failures, rough.failures]).toEqual([0, 36]);
    expect([...smooth.refusals, ...rough.refusals]).toEqual([]);
  });
});

describe('recover()', () => {
  it('comes back to a run when its model said, and not before', async () => {
    let calls = 0;
    const { server, provider } = await weather(() =>
      calls++ === 0
        ? { status: 429, error: { message: 'slow down' }, headers: { 'retry-after': '90' } }
        : { text: 'Here you are.' },
    );
    const timers = virtualTimers();
    const store = memoryStore({ clock: timers });
    const agent = createAgent({ provider, store, ports: { timers } });
    expect(await rejection(agent.send('Hi', { sessionId: 'one' }))).toMatchObject({
      status: 429,
      retryAfterMs: 90_000,
    });
    const [run] = await agent.pending();
    expect(run?.lastError).toMatchObject({
      category: 'rate-limit',
      retryable: true,
      retryAt: new Date(timers.now() + 90_000).toISOString(),
    });
    const done = new Promise<string>((resolve) => {
      const recovery = agent.recover({
        intervalMs: 30_000,
        onRecovered: (_, { text }) => {
          void recovery.stop();
          resolve(text);
        },
      });
    });
    await timers.advance(89_999);
    expect(server.requests).toHaveLength(1);
    await timers.advance(30_000);
    expect(await done).toBe('Here you are.');
    expect(server.requests).toHaveLength(2);
  });

  it('leaves a run alone that is too long for its model', async () => {
    const { server, provider } = await weather(() => ({
      status: 400,
      error: { message: 'too long', code: 'context_length_exceeded' },
    }));
    const timers = virtualTimers();
    const agent = createAgent({ provider, store: memoryStore({ clock: timers }), ports: { timers } });
    await rejection(agent.send('Hi', { sessionId: 'one' }));
    const recovery = agent.recover({ intervalMs: 1_000 });
    await timers.advance(5_000);
    await recovery.stop();
    expect(server.requests).toHaveLength(1);
    expect((await agent.pending())[0]?.lastError).toMatchObject({
      category: 'context-length-exceeded',
      retryable: false,
    });
  });
});
