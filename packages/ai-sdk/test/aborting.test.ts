import type { LanguageModelV3 } from '@ai-sdk/provider';
import { aiSdk } from '@lousho/ai-sdk';
import { createAgent } from '@lousho/core';
import { describe, expect, it } from 'vitest';
import { ask, chat, rejection, WAYS } from './support/chat.js';

describe.each(WAYS)('aborting %s, by %s', (version, mode) => {
  it.each(['before', 'within'] as const)(
    '%s the answer hangs up at once, with the reason',
    async (silence) => {
      const { provider, server } = await chat(version, [
        { silence, reply: { text: 'Hello there, all of you' } },
      ]);
      const controller = new AbortController();
      const reason = new Error('the user left');
      const asked = rejection(ask(provider, mode, { signal: controller.signal }));
      await until(() => server.requests.length === 1);
      controller.abort(reason);
      // Some versions wrap the reason in an error of their own. Neither is a failure of the model's.
      const error = await asked;
      expect(error).not.toHaveProperty('retryAfterMs');
      expect([error, (error as Error).cause]).toContain(reason);
      await server.hungUp();
    },
  );

  it('a run ends it as aborted', async () => {
    const { provider, server } = await chat(version, [{ silence: 'before', reply: { text: 'x' } }]);
    const controller = new AbortController();
    const agent = createAgent({ provider });
    const { signal } = controller;
    const run = mode === 'stream' ? agent.stream('Hi', { signal }).result : agent.send('Hi', { signal });
    await until(() => server.requests.length === 1);
    controller.abort();
    expect((await run).finishReason).toBe('aborted');
    await server.hungUp();
  });
});

const deaf = (stream: ReadableStream): LanguageModelV3 => ({
  specificationVersion: 'v3',
  provider: 'deaf',
  modelId: 'deaf-1',
  supportedUrls: {},
  doGenerate: () => new Promise(() => undefined),
  doStream: async () => ({ stream }),
});

describe('a model that does not listen to the signal', () => {
  it.each(['generate', 'stream'] as const)('is not waited for, by %s', async (mode) => {
    const controller = new AbortController();
    let isCancelled = false;
    const stream = new ReadableStream({
      start: () => setImmediate(() => controller.abort()) as unknown as undefined,
      cancel: () => {
        isCancelled = true;
      },
    });
    const agent = createAgent({ provider: aiSdk(deaf(stream)) });
    const { signal } = controller;
    const run = mode === 'stream' ? agent.stream('Hi', { signal }).result : agent.send('Hi', { signal });
    expect((await run).finishReason).toBe('aborted');
    await until(() => isCancelled || mode === 'generate');
  });
});

describe('a stream of a model that does not listen', () => {
  it('ends with the reason as soon as the signal fires', async () => {
    const controller = new AbortController();
    const provider = aiSdk(deaf(new ReadableStream()));
    const asked = rejection(ask(provider, 'stream', { signal: controller.signal }));
    const reason = new Error('the user left');
    setImmediate(() => controller.abort(reason));
    expect(await asked).toBe(reason);
  });

  it('that fired before is not read at all', async () => {
    let isCancelled = false;
    const stream = new ReadableStream({
      cancel: () => {
        isCancelled = true;
      },
    });
    const reason = new Error('too late');
    const asked = ask(aiSdk(deaf(stream)), 'stream', { signal: AbortSignal.abort(reason) });
    expect(await rejection(asked)).toBe(reason);
    expect(isCancelled).toBe(true);
  });
});

describe('a caller that stops reading', () => {
  it.each(WAYS.filter(([, mode]) => mode === 'stream'))('hangs up on %s', async (version) => {
    const reply = { text: 'Hello there, all of you' };
    const { provider, server } = await chat(version, [{ silence: 'within', reply }]);
    for await (const part of provider.stream?.({
      messages: [{ role: 'user', content: 'Hi' }],
      tools: [],
      step: 1,
    }) ?? [])
      if (part.type === 'text-delta') break;
    await server.hungUp();
  });
});

/** A condition that another task of the event loop brings about. */
async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve));
}
