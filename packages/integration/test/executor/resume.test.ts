import { type Checkpoint, createAgent, type Message, PropagatingToolError } from '@lousho/core';
import { mockModel, transcriptFaults } from '@lousho/core/testing';
import { describe, expect, it } from 'vitest';
import { codeOf, rejection } from '../support/rejections.js';
import { outline, roles, spyStore } from './support/spy-store.js';
import { calls, countingTool, tool } from './support/tools.js';

const SESSION = { sessionId: 'chat-42' };
const user = (content: string): Message => ({ role: 'user', content });
const assistant = (content: string): Message => ({ role: 'assistant', content });

function dyingOnce(name: string) {
  let isFirst = true;
  return countingTool(name, () => {
    if (!isFirst) return `${name} done`;
    isFirst = false;
    throw new PropagatingToolError('the process died');
  });
}

describe('an unfinished run is resumed', () => {
  it('A2 only the call without a result runs again, with the same id, and the model is not asked for the turn again', async () => {
    const store = spyStore();
    const [a, b] = [countingTool('a'), dyingOnce('b')];
    const provider = mockModel([calls('a', 'b'), 'Done.']);
    const agent = createAgent({ provider, tools: [a, b], store });
    expect(await rejection(agent.send('Go', SESSION))).toBeInstanceOf(PropagatingToolError);
    expect(provider.calls).toHaveLength(1);

    const result = await agent.send('Go', SESSION);
    expect(a.started).toEqual(['a']);
    expect(b.started).toEqual(['b', 'b']);
    expect(provider.calls).toHaveLength(2);
    expect(roles(result.messages)).toBe('user assistant(a,b) tool(a) tool(b) assistant');
    expect(result.runId).toBe(store.saves[0]?.checkpoint.runId);
  });

  it('the pending calls go the normal way: arguments validated, hooks asked, concurrency kept', async () => {
    const store = spyStore();
    const seen: string[] = [];
    const stored: Checkpoint = {
      sessionId: 'chat-42',
      stepIndex: 1,
      status: 'in-progress',
      messages: [
        user('Go'),
        {
          role: 'assistant',
          content: '',
          toolCalls: [
            { id: 'c1', type: 'function', function: { name: 'a', arguments: 'not JSON' } },
            { id: 'c2', type: 'function', function: { name: 'a', arguments: '{}' } },
            { id: 'c3', type: 'function', function: { name: 'b', arguments: '{}' } },
          ],
        },
      ],
    };
    await store.inner.save('chat-42', stored);
    const [a, b] = [countingTool('a'), countingTool('b')];
    const agent = createAgent({
      provider: mockModel(['ok']),
      tools: [a, b],
      store,
      hooks: [
        {
          name: 'guard',
          beforeToolCall: ({ toolName, context }) => {
            seen.push(context.toolCallId);
            return toolName === 'b' ? { deny: 'not today' } : undefined;
          },
        },
      ],
    });
    const result = await agent.resume('chat-42');
    expect(seen).toEqual(['c2', 'c3']);
    expect(a.started).toEqual(['c2']);
    expect(b.started).toEqual([]);
    expect(result?.toolCalls.map((call) => (call.result as { kind?: string }).kind ?? call.result)).toEqual([
      'validation',
      'a done',
      'denied',
    ]);
  });

  it('A4 new input comes after the results of the pending calls', async () => {
    const store = spyStore();
    const provider = mockModel([calls('a', 'b'), 'Redirected.']);
    const agent = createAgent({
      provider,
      tools: [tool('a'), dyingOnce('b')],
      store,
      instructions: 'Be careful.',
    });
    await rejection(agent.send('Go', SESSION));
    await agent.send('Wait, do it differently', SESSION);
    expect(roles(provider.lastCall?.messages ?? [])).toBe('system user assistant(a,b) tool(a) tool(b) user');
    expect(store.saves.every((save) => !/user tool/.test(outline(save).replace(/\(.*?\)/g, '')))).toBe(true);
  });

  it('A4 new input survives a second crash while the pending calls run', async () => {
    const store = spyStore();
    let deaths = 2;
    const b = tool('b', () => {
      if (deaths-- > 0) throw new PropagatingToolError('died');
      return 'b';
    });
    const provider = mockModel([calls('a', 'b'), 'ok']);
    const agent = createAgent({ provider, tools: [tool('a'), b], store });
    await rejection(agent.send('Go', SESSION));
    await rejection(agent.send('Also this', SESSION));
    expect((await store.inner.load('chat-42'))?.messages.at(-1)).toEqual(user('Also this'));
    const result = await agent.resume('chat-42');
    expect(roles(result?.messages ?? [])).toBe('user assistant(a,b) tool(a) tool(b) user assistant');
    expect(transcriptFaults(provider.lastCall?.messages ?? [])).toEqual([]);
  });

  it('input that was queued behind pending calls and comes again is not doubled', async () => {
    const store = spyStore();
    let deaths = 2;
    const a = tool('a', () => {
      if (deaths-- > 0) throw new PropagatingToolError('died');
      return 'a';
    });
    const agent = createAgent({ provider: mockModel([calls('a'), 'ok']), tools: [a], store });
    await rejection(agent.send('Go', SESSION));
    await rejection(agent.send('Also this', SESSION));
    const result = await agent.send('Also this', SESSION);
    expect(result.messages.filter((message) => message.role === 'user')).toEqual([
      user('Go'),
      user('Also this'),
    ]);
  });

  it('A5 abort after a tool result, then new input: the tool ran once, two steps, the input last', async () => {
    const store = spyStore();
    const controller = new AbortController();
    const a = countingTool('a', () => controller.abort());
    const provider = mockModel([calls('a'), 'Changed.']);
    const agent = createAgent({ provider, tools: [a], store });
    await agent.send('Go', { ...SESSION, signal: controller.signal });
    const result = await agent.send('Change of plan', SESSION);
    expect(a.started).toEqual(['a']);
    expect(result.steps).toBe(2);
    expect(provider.lastCall?.messages.at(-1)).toEqual(user('Change of plan'));
  });

  it('A10 the starting message sent again is a retry, also with a note at the transcript’s end', async () => {
    const store = spyStore();
    await store.inner.save('chat-42', {
      sessionId: 'chat-42',
      stepIndex: 0,
      status: 'in-progress',
      messages: [user('Hi'), user('(the provider failed)')],
      runStart: { messageIndex: 0, messageCount: 1 },
    });
    const provider = mockModel(['Hello.']);
    await createAgent({ provider, store }).send('Hi', SESSION);
    expect(provider.lastCall?.messages).toEqual([user('Hi'), user('(the provider failed)')]);
  });

  it('A9 a lagging copy of the conversation with something new: only the new is added', async () => {
    const store = spyStore();
    const provider = mockModel([calls('a'), 'ok']);
    const agent = createAgent({ provider, tools: [dyingOnce('a')], store });
    await rejection(agent.send('Hi', SESSION));
    const result = await agent.send([user('Hi'), user('New')], SESSION);
    expect(roles(result.messages)).toBe('user assistant(a) tool(a) user assistant');
    expect(result.messages[3]).toEqual(user('New'));
  });

  it('A11 [] resumes an unfinished run', async () => {
    const store = spyStore();
    const agent = createAgent({ provider: mockModel([calls('a'), 'ok']), tools: [dyingOnce('a')], store });
    await rejection(agent.send('Go', SESSION));
    const result = await agent.send([], SESSION);
    expect(roles(result.messages)).toBe('user assistant(a) tool(a) assistant');
  });

  it('A11 [] on a finished run returns what it came to, without a model call or a save', async () => {
    const store = spyStore();
    const provider = mockModel([{ text: 'Done.', usage: { inputTokens: 7, outputTokens: 3 } }]);
    const agent = createAgent({ provider, store });
    const first = await agent.send('Go', SESSION);
    const again = await agent.send([], SESSION);
    expect(provider.calls).toHaveLength(1);
    expect(store.saves).toHaveLength(1);
    expect(again).toEqual(first);
  });

  it('A11 [] on an unknown id, and without an id, is a missing input', async () => {
    const store = spyStore();
    const agent = createAgent({ provider: mockModel([]), store });
    expect(await codeOf(agent.send([], SESSION))).toBe('LOUSHO_CONFIG_MISSING_INPUT');
    expect(await codeOf(agent.send([]))).toBe('LOUSHO_CONFIG_MISSING_INPUT');
    expect(await codeOf(agent.stream([], SESSION).result)).toBe('LOUSHO_CONFIG_MISSING_INPUT');
    expect(await store.inner.load('chat-42')).toBeNull();
  });

  it('A13 a record without a status is in progress', async () => {
    const store = spyStore();
    await store.inner.save('chat-42', { sessionId: 'chat-42', stepIndex: 0, messages: [user('Hi')] });
    const agent = createAgent({ provider: mockModel(['Hello.']), store });
    expect((await agent.pending()).map((run) => run.status)).toEqual(['in-progress']);
    expect((await agent.resume('chat-42'))?.text).toBe('Hello.');
  });

  it('A14 usage goes on over a crash', async () => {
    const store = spyStore();
    const provider = mockModel([
      { ...calls('a'), usage: { inputTokens: 100, outputTokens: 10 } },
      { text: 'ok', usage: { inputTokens: 200, outputTokens: 20 } },
    ]);
    const agent = createAgent({ provider, tools: [dyingOnce('a')], store });
    await rejection(agent.send('Go', SESSION));
    const result = await agent.resume('chat-42');
    expect(result?.usage).toEqual({ inputTokens: 300, outputTokens: 30, totalTokens: 330, modelCalls: 2 });
    expect(result?.stepUsage).toEqual([
      { inputTokens: 100, outputTokens: 10 },
      { inputTokens: 200, outputTokens: 20 },
    ]);
  });

  it('A18 the budget of steps spans a crash', async () => {
    const store = spyStore();
    let step = 0;
    const a = tool('a', () => {
      if (++step === 2) throw new PropagatingToolError('died');
    });
    const provider = mockModel([calls('a')], { onExhausted: 'repeat-last' });
    const agent = createAgent({ provider, tools: [a], store, maxSteps: 3 });
    await rejection(agent.send('Go', SESSION));
    expect(provider.calls).toHaveLength(2);
    const result = await agent.resume('chat-42');
    expect(provider.calls).toHaveLength(3);
    expect(result).toMatchObject({ finishReason: 'max-steps', steps: 3 });
    expect((await store.inner.load('chat-42'))?.status).toBe('finished');
  });

  it('A18 a budget that one call was given is kept with its run', async () => {
    const store = spyStore();
    const a = dyingOnce('a');
    const provider = mockModel([calls('a')], { onExhausted: 'repeat-last' });
    const agent = createAgent({ provider, tools: [a], store });
    await rejection(agent.send('Go', { ...SESSION, maxSteps: 2 }));
    expect(await agent.resume('chat-42')).toMatchObject({ finishReason: 'max-steps', steps: 2 });
    const next = await agent.send('More', SESSION);
    expect(next.steps).toBe(10);
  });

  it('A18 a run that used up its steps goes on with the next message, with a new budget', async () => {
    const store = spyStore();
    const provider = mockModel([calls('a'), calls('a'), 'Done.']);
    const agent = createAgent({ provider, tools: [tool('a')], store, maxSteps: 2 });
    expect((await agent.send('Go', SESSION)).finishReason).toBe('max-steps');
    expect(await agent.send('Go on', SESSION)).toMatchObject({
      finishReason: 'stop',
      steps: 1,
      text: 'Done.',
    });
    expect(transcriptFaults(provider.lastCall?.messages ?? [])).toEqual([]);
  });

  it('A22 a crash between the final text and its save may cost the model call again, never a tool', async () => {
    const store = spyStore();
    let isDead = false;
    const dying = spyStore(store.checkpoints, {
      around: (method, args, next) => {
        if ((args[1] as Checkpoint | undefined)?.status === 'finished') isDead = true;
        if (isDead && method === 'saveIfLeased') throw new Error('died');
        return next();
      },
    });
    const a = countingTool('a');
    const provider = mockModel([calls('a'), 'Done.', 'Done.']);
    const options = { provider, tools: [a], ports: { logger: { warn: () => undefined } } };
    await rejection(createAgent({ ...options, store: dying }).send('Go', SESSION));
    await createAgent({ ...options, store }).resume('chat-42');
    expect(a.started).toEqual(['a']);
  });

  it('A23 business state is inherited when left out, replaced when given, and cleared by null', async () => {
    const store = spyStore();
    const agent = createAgent({ provider: mockModel(['1', '2', '3', '4']), store });
    const stateAfter = async (options: { businessState?: unknown }) => {
      await agent.send('Go', { ...SESSION, ...options });
      return (await store.inner.load('chat-42'))?.businessState;
    };
    expect(await stateAfter({ businessState: { cart: [1] } })).toEqual({ cart: [1] });
    expect(await stateAfter({})).toEqual({ cart: [1] });
    expect(await stateAfter({ businessState: null })).toBeNull();
    expect(await stateAfter({})).toBeNull();
  });

  it('A23 business state reaches the tools and every save of the run', async () => {
    const store = spyStore();
    const seen: unknown[] = [];
    const a = tool('a', (_, { businessState }) => void seen.push(businessState));
    const agent = createAgent({ provider: mockModel([calls('a'), 'ok']), tools: [a], store });
    await agent.send('Go', { ...SESSION, businessState: { cart: 1 } });
    expect(seen).toEqual([{ cart: 1 }]);
    expect(store.saves.map((save) => save.checkpoint.businessState)).toEqual([
      { cart: 1 },
      { cart: 1 },
      { cart: 1 },
    ]);
  });

  it('principal and metadata stay with the run and reach its tools; another principal is refused', async () => {
    const store = spyStore();
    const seen: unknown[] = [];
    let isFirst = true;
    const a = tool('a', (_, { principal, metadata }) => {
      seen.push({ principal, metadata });
      if (isFirst) {
        isFirst = false;
        throw new PropagatingToolError('died');
      }
    });
    const provider = mockModel([calls('a'), 'ok']);
    const agent = createAgent({ provider, tools: [a], store });
    const about = { principal: { user: 'ada' }, metadata: { trace: 't1' } };
    await rejection(agent.send('Go', { ...SESSION, ...about }));
    expect(await codeOf(agent.send('Go', { ...SESSION, principal: { user: 'eve' } }))).toBe(
      'LOUSHO_CONFIG_INVALID',
    );
    expect(provider.calls).toHaveLength(1);
    await agent.resume('chat-42');
    expect(seen).toEqual([about, about]);
    expect((await store.inner.load('chat-42'))?.metadata).toEqual({ trace: 't1' });
  });

  it('a pending call whose tool is gone rejects before anything runs and leaves the record as it was', async () => {
    const store = spyStore();
    const b = countingTool('b');
    const provider = mockModel([calls('b', 'a')]);
    const first = createAgent({ provider, tools: [dyingOnce('b'), dyingOnce('a')], store });
    await rejection(first.send('Go', SESSION));
    const before = await store.inner.load('chat-42');
    const renamed = createAgent({ provider, tools: [b], store });
    expect(await codeOf(renamed.resume('chat-42'))).toBe('LOUSHO_RESUME_TOOL_MISSING');
    expect(await codeOf(renamed.send('something else', SESSION))).toBe('LOUSHO_RESUME_TOOL_MISSING');
    expect(b.started).toEqual([]);
    expect(provider.calls).toHaveLength(1);
    expect(await store.inner.load('chat-42')).toEqual(before);
    expect(await store.inner.readLease?.('chat-42')).toBeNull();
  });

  it('E14 resume of an unknown id and of a finished run is null, and takes no lease', async () => {
    const store = spyStore();
    const provider = mockModel(['ok']);
    const agent = createAgent({ provider, store });
    expect(await agent.resume('nobody')).toBeNull();
    await agent.send('Go', SESSION);
    store.calls.length = 0;
    expect(await agent.resume('chat-42')).toBeNull();
    expect(store.calls).not.toContain('acquireLease');
    expect(provider.calls).toHaveLength(1);
  });
});

describe('a finished session is continued', () => {
  it('A6 counts start from zero, the messages are the whole conversation, and the store holds the same', async () => {
    const store = spyStore();
    const provider = mockModel([
      { text: 'Hello.', usage: { inputTokens: 5, outputTokens: 1 } },
      { text: 'Fine.', usage: { inputTokens: 9, outputTokens: 2 } },
    ]);
    const agent = createAgent({ provider, store, instructions: 'Be kind.' });
    const first = await agent.send('Hi', SESSION);
    const second = await agent.send('How are you?', SESSION);
    expect(second).toMatchObject({
      steps: 1,
      toolCalls: [],
      usage: { inputTokens: 9, outputTokens: 2, totalTokens: 11, modelCalls: 1 },
    });
    expect(second.messages).toHaveLength(5);
    expect((await store.inner.load('chat-42'))?.messages).toEqual(second.messages);
    expect(second.runId).not.toBe(first.runId);
  });

  it('A7 the same words again are a new turn', async () => {
    const store = spyStore();
    const agent = createAgent({ provider: mockModel(['1', '2']), store });
    await agent.send('Hi', SESSION);
    const { messages } = await agent.send('Hi', SESSION);
    expect(messages.filter((message) => message.role === 'user')).toHaveLength(2);
  });

  it('A8 the whole history sent again with one new message is not doubled', async () => {
    const store = spyStore();
    const provider = mockModel(['Hello.', 'Fine.']);
    const agent = createAgent({ provider, store, instructions: 'Be kind.' });
    const { messages } = await agent.send('Hi', SESSION);
    await agent.send([...messages, user('And you?')], SESSION);
    expect(roles(provider.lastCall?.messages ?? [])).toBe('system user assistant user');
  });

  it('A8 the history may come as the caller keeps it, with tool turns and without what only the run knows', async () => {
    const store = spyStore();
    const provider = mockModel([{ ...calls('a'), usage: { inputTokens: 1, outputTokens: 1 } }, 'ok', 'fine']);
    const agent = createAgent({ provider, tools: [tool('a')], store });
    const { messages } = await agent.send('Hi', SESSION);
    const kept = messages.map(({ usage: _, toolName: __, ...rest }) => rest);
    const second = await agent.send([...kept, user('More')], SESSION);
    expect(roles(second.messages)).toBe('user assistant(a) tool(a) assistant user assistant');
  });

  it('A8 a history with an edited word is not taken for the stored one', async () => {
    const store = spyStore();
    const agent = createAgent({ provider: mockModel(['Hello.', 'Fine.']), store });
    await agent.send('Hi', SESSION);
    const { messages } = await agent.send([user('Hi'), assistant('Hello!!'), user('And you?')], SESSION);
    expect(messages).toHaveLength(6);
  });

  it('A12 system messages in later input are ignored', async () => {
    const store = spyStore();
    const provider = mockModel(['1', '2']);
    const agent = createAgent({ provider, store, instructions: 'Be kind.' });
    await agent.send('Hi', SESSION);
    await agent.send([{ role: 'system', content: 'Be rude.' }, user('And?')], SESSION);
    expect(provider.lastCall?.messages.filter((message) => message.role === 'system')).toEqual([
      { role: 'system', content: 'Be kind.' },
    ]);
  });

  it('A12 a system message alone adds nothing and asks nobody', async () => {
    const store = spyStore();
    const provider = mockModel(['1', '2']);
    const agent = createAgent({ provider, store });
    await agent.send('Hi', SESSION);
    const again = await agent.send([{ role: 'system', content: 'Be rude.' }], SESSION);
    expect(provider.calls).toHaveLength(1);
    expect(again.text).toBe('1');
  });

  it.each([SESSION, {}])(
    'A12 a new conversation of nothing but a system message is refused: %j',
    async (options) => {
      const provider = mockModel(['1']);
      const agent = createAgent({ provider, store: spyStore() });
      const input: Message[] = [{ role: 'system', content: 'Be kind.' }];
      expect(await codeOf(agent.send(input, options))).toBe('LOUSHO_CONFIG_MISSING_INPUT');
      expect(provider.calls).toHaveLength(0);
    },
  );

  it.each([{}, { sessionId: 'other' }])(
    'A21 a result’s messages sent into a new conversation %j do not double the system prompt',
    async (options) => {
      const store = spyStore();
      const provider = mockModel(['Hello.', 'Fine.']);
      const agent = createAgent({ provider, store, instructions: 'Be kind.' });
      const { messages } = await agent.send('Hi', SESSION);
      await agent.send([...messages, user('And you?')], options);
      expect(roles(provider.lastCall?.messages ?? [])).toBe('system user assistant user');
    },
  );

  it('an agent without instructions takes the system message that the first input brings', async () => {
    const provider = mockModel(['Hello.']);
    await createAgent({ provider }).send([{ role: 'system', content: 'Be kind.' }, user('Hi')]);
    expect(provider.lastCall?.messages).toEqual([{ role: 'system', content: 'Be kind.' }, user('Hi')]);
  });

  it('a crash in a later turn resumes that turn, and its message sent again is a retry', async () => {
    const store = spyStore();
    const a = dyingOnce('a');
    const provider = mockModel(['Hello.', calls('a'), 'Done.']);
    const agent = createAgent({ provider, tools: [a], store });
    await agent.send('Hi', SESSION);
    await rejection(agent.send('Do it', SESSION));
    const result = await agent.send('Do it', SESSION);
    expect(roles(result.messages)).toBe('user assistant user assistant(a) tool(a) assistant');
    expect(result.steps).toBe(2);
    expect(result.toolCalls).toHaveLength(1);
  });

  it('a crash in a later turn: the history with that turn’s message sent again is a retry', async () => {
    const store = spyStore();
    const agent = createAgent({
      provider: mockModel(['Hello.', calls('a'), 'Done.']),
      tools: [dyingOnce('a')],
      store,
    });
    const { messages } = await agent.send('Hi', SESSION);
    await rejection(agent.send('Do it', SESSION));
    const result = await agent.send([...messages, user('Do it')], SESSION);
    expect(roles(result.messages)).toBe('user assistant user assistant(a) tool(a) assistant');
  });

  it('a crash in a later turn: an earlier turn’s words are new input, not a retry', async () => {
    const store = spyStore();
    const agent = createAgent({
      provider: mockModel(['Hello.', calls('a'), 'Done.']),
      tools: [dyingOnce('a')],
      store,
    });
    await agent.send('Hi', SESSION);
    await rejection(agent.send('Do it', SESSION));
    const result = await agent.send('Hi', SESSION);
    expect(roles(result.messages)).toBe('user assistant user assistant(a) tool(a) user assistant');
  });

  it('the system prompt of a stored session stays, whatever the agent says now', async () => {
    const store = spyStore();
    const provider = mockModel(['1', '2']);
    await createAgent({ provider, store, instructions: 'Old.' }).send('Hi', SESSION);
    await createAgent({ provider, store, instructions: 'New.' }).send('Again', SESSION);
    expect(provider.lastCall?.messages[0]).toEqual({ role: 'system', content: 'Old.' });
  });

  it('E13 a job that is finished is recognised by its checkpoint', async () => {
    const store = spyStore();
    const provider = mockModel(['done']);
    const agent = createAgent({ provider, store });
    const deliver = async () => {
      const stored = await store.checkpoints.load('job-1');
      if (stored?.status !== 'finished') await agent.send('payload', { sessionId: 'job-1' });
    };
    await deliver();
    await deliver();
    expect(provider.calls).toHaveLength(1);
  });
});

describe('content parts', () => {
  const parts = () => [
    { type: 'text' as const, text: 'What is this?' },
    { type: 'image' as const, image: new Uint8Array([1, 2, 255]), mediaType: 'image/png' },
  ];

  it('are one user message, bytes included, in the request and in the store', async () => {
    const store = spyStore();
    const provider = mockModel(['A cat.']);
    await createAgent({ provider, store }).send(parts(), SESSION);
    expect(provider.lastCall?.messages).toEqual([{ role: 'user', content: parts() }]);
    expect((await store.inner.load('chat-42'))?.messages[0]).toEqual({ role: 'user', content: parts() });
  });

  it('sent again after a crash are a retry; other bytes are not', async () => {
    const store = spyStore();
    let deaths = 2;
    const a = tool('a', () => {
      if (deaths-- > 0) throw new PropagatingToolError('died');
    });
    const agent = createAgent({ provider: mockModel([calls('a'), 'ok']), tools: [a], store });
    await rejection(agent.send(parts(), SESSION));
    await rejection(agent.send(parts(), SESSION));
    expect(roles((await store.inner.load('chat-42'))?.messages ?? [])).toBe('user assistant(a)');
    const other = [{ type: 'image' as const, image: new Uint8Array([1, 2, 254]), mediaType: 'image/png' }];
    const result = await agent.send(other, SESSION);
    expect(roles(result.messages)).toBe('user assistant(a) tool(a) user assistant');
  });
});

describe('old and foreign records', () => {
  it('A15 usage with three token fields loads and goes on', async () => {
    const store = spyStore();
    const old = {
      sessionId: 'chat-42',
      stepIndex: 1,
      messages: [user('Hi'), { role: 'assistant', ...toolTurn('c1', 'a') }],
      usage: { promptTokens: 100, completionTokens: 10, totalTokens: 110 },
    } as unknown as Checkpoint;
    await store.inner.save('chat-42', old);
    const provider = mockModel([{ text: 'ok', usage: { inputTokens: 1, outputTokens: 2 } }]);
    const result = await createAgent({ provider, tools: [tool('a')], store }).resume('chat-42');
    expect(result?.usage).toMatchObject({ inputTokens: 101, outputTokens: 12, totalTokens: 113 });
  });

  it('A20 fields that this version does not know, and signed reasoning blocks, survive a resume', async () => {
    const store = spyStore();
    const reasoning = [{ signature: 'sig', data: new Uint8Array([7]) }];
    const old = {
      sessionId: 'chat-42',
      stepIndex: 1,
      messages: [user('Hi'), { role: 'assistant', reasoning, ...toolTurn('c1', 'a') }],
      runConfig: { model: 'x' },
      laterField: { hash: 'abc' },
    } as unknown as Checkpoint;
    await store.inner.save('chat-42', old);
    const provider = mockModel(['ok']);
    await createAgent({ provider, tools: [tool('a')], store }).resume('chat-42');
    expect(provider.lastCall?.messages[1]?.reasoning).toEqual(reasoning);
    expect(await store.inner.load('chat-42')).toMatchObject({
      runConfig: { model: 'x' },
      laterField: { hash: 'abc' },
      messages: [user('Hi'), { reasoning }, {}, {}],
    });
  });

  it('A20 a field that has the name of an object’s prototype is a field like any other', async () => {
    const store = spyStore();
    const text =
      '{"sessionId":"chat-42","stepIndex":0,"messages":[{"role":"user","content":"Hi"}],"__proto__":{"revision":7}}';
    await store.inner.save('chat-42', JSON.parse(text) as Checkpoint);
    await createAgent({ provider: mockModel(['ok']), store }).resume('chat-42');
    const stored = await store.inner.load('chat-42');
    expect(Object.getOwnPropertyDescriptor(stored, '__proto__')?.value).toEqual({ revision: 7 });
    expect(stored?.revision).toBe(1);
  });

  it('a record without a start of its run recognises the message it began with', async () => {
    const store = spyStore();
    await store.inner.save('chat-42', {
      sessionId: 'chat-42',
      stepIndex: 1,
      messages: [
        user('Hi'),
        assistant('Hello.'),
        user('Do it'),
        { role: 'assistant', ...toolTurn('c1', 'a') },
      ],
    });
    const agent = createAgent({ provider: mockModel(['ok']), tools: [tool('a')], store });
    const result = await agent.send('Do it', SESSION);
    expect(roles(result.messages)).toBe('user assistant user assistant(c1) tool(c1) assistant');
    expect(result.toolCalls).toHaveLength(1);
  });

  it('a record without a revision is continued from the first one', async () => {
    const store = spyStore();
    await store.inner.save('chat-42', { sessionId: 'chat-42', stepIndex: 0, messages: [user('Hi')] });
    await createAgent({ provider: mockModel(['ok']), store }).resume('chat-42');
    expect((await store.inner.load('chat-42'))?.revision).toBe(1);
  });

  it('a transcript cut short in an earlier turn is made valid before the provider sees it', async () => {
    const store = spyStore();
    await store.inner.save('chat-42', {
      sessionId: 'chat-42',
      stepIndex: 2,
      messages: [
        user('Hi'),
        { role: 'assistant', ...toolTurn('c1', 'a') },
        user('Again'),
        { role: 'assistant', ...toolTurn('c1', 'a') },
      ],
    });
    const a = countingTool('a');
    const provider = mockModel(['ok']);
    const result = await createAgent({ provider, tools: [a], store }).resume('chat-42');
    expect(transcriptFaults(provider.lastCall?.messages ?? [])).toEqual([]);
    expect(a.started).toEqual(['c1']);
    expect(transcriptFaults(result?.messages ?? [])).toEqual([]);
  });

  it('a paused run refuses new input before the model or a tool is called', async () => {
    const store = spyStore();
    await store.inner.save('chat-42', {
      sessionId: 'chat-42',
      stepIndex: 1,
      messages: [user('Hi'), { role: 'assistant', ...toolTurn('c1', 'a') }],
      status: 'awaiting-approval',
      approvalId: 'approval-1',
    });
    const before = await store.inner.load('chat-42');
    const [a, provider] = [countingTool('a'), mockModel(['ok'])];
    const agent = createAgent({ provider, tools: [a], store });
    const error = await rejection(agent.send('Are you done?', SESSION));
    expect(error).toMatchObject({
      name: 'SessionAwaitingApprovalError',
      code: 'LOUSHO_SESSION_AWAITING_APPROVAL',
      sessionId: 'chat-42',
      approvalId: 'approval-1',
    });
    expect([a.started.length, provider.calls.length]).toEqual([0, 0]);
    expect(await store.inner.load('chat-42')).toEqual(before);
    expect(await store.inner.readLease?.('chat-42')).toBeNull();
  });
});

function toolTurn(id: string, name: string) {
  return { content: '', toolCalls: [{ id, type: 'function' as const, function: { name, arguments: '{}' } }] };
}
