import { describe, expect, it } from 'vitest';
import { ask, chat, HI, WAYS } from './support/chat.js';

describe.each(WAYS)('an answer by %s, by %s', (version, mode) => {
  it('is text with its finish reason, usage and the model that gave it', async () => {
    const { provider, server } = await chat(version, [{ text: 'It is 21 degrees.' }]);
    const response = await ask(provider, mode);
    expect(response).toMatchObject({ text: 'It is 21 degrees.', finishReason: 'stop' });
    expect(response.usage).toEqual({
      model: 'small-2026',
      inputTokens: 100,
      outputTokens: 20,
      cachedInputTokens: 40,
      reasoningTokens: 5,
    });
    expect(response).not.toHaveProperty('toolCalls');
    expect(response).not.toHaveProperty('providerParts');
    expect(response.deltas).toEqual(mode === 'stream' ? ['It ', 'is ', '21 ', 'degrees.'] : []);
    expect(server.requests[0]).toMatchObject({ model: 'small', messages: [{ role: 'user', content: 'Hi' }] });
    expect(server.requests[0]?.stream === true).toBe(mode === 'stream');
    expect(server.requests[0]).not.toHaveProperty('tools');
  });

  it('is tool calls, their arguments as the model wrote them', async () => {
    const { provider } = await chat(version, [
      {
        text: 'Let me look.',
        toolCalls: [
          { id: 'call_1', name: 'forecast', args: '{"city": "Oslo", "n": 12345678901234567890}' },
          { id: 'call_2', name: 'now', args: '' },
        ],
      },
    ]);
    const response = await ask(provider, mode);
    expect(response).toMatchObject({ text: 'Let me look.', finishReason: 'tool_calls' });
    expect(response.toolCalls).toEqual([
      {
        id: 'call_1',
        type: 'function',
        function: { name: 'forecast', arguments: '{"city": "Oslo", "n": 12345678901234567890}' },
      },
      { id: 'call_2', type: 'function', function: { name: 'now', arguments: '{}' } },
    ]);
    expect(response).not.toHaveProperty('providerParts');
  });

  it('has its reasoning apart from its text', async () => {
    const { provider } = await chat(version, [{ reasoning: 'Oslo is in Norway.', text: 'Cold.' }]);
    const response = await ask(provider, mode);
    expect(response.text).toBe('Cold.');
    expect(response.reasoning).toEqual([{ type: 'reasoning', text: 'Oslo is in Norway.' }]);
    expect(response.deltas.join('')).toBe(mode === 'stream' ? 'Cold.' : '');
  });

  it.each([
    ['stop', 'stop'],
    ['length', 'length'],
    ['content_filter', 'content_filter'],
    ['tool_calls', 'tool_calls'],
    ['max_thoughts', 'other'],
  ])('that ends with %s says %s', async (finishReason, said) => {
    const { provider } = await chat(version, [{ text: 'Well', finishReason }]);
    expect((await ask(provider, mode)).finishReason).toBe(said);
  });

  it('without usage has none', async () => {
    const { provider } = await chat(version, [{ text: 'Well', usage: {} }]);
    const { usage } = await ask(provider, mode);
    expect(usage === undefined || (usage.inputTokens === 0 && usage.outputTokens === 0)).toBe(true);
  });

  it('may be empty', async () => {
    const { provider } = await chat(version, [{ text: '' }]);
    expect(await ask(provider, mode)).toMatchObject({ text: '', finishReason: 'stop' });
  });
});

describe.each(WAYS)('the settings of %s, by %s', (version, mode) => {
  it('go out with every request', async () => {
    const { provider, server } = await chat(version, [{ text: 'ok' }], {
      options: {
        maxOutputTokens: 50,
        temperature: 0,
        topP: 0.5,
        stopSequences: ['END'],
        seed: 7,
        presencePenalty: 0.1,
        frequencyPenalty: 0.2,
        headers: { 'x-team': 'support' },
        toolChoice: { type: 'required' },
        providerOptions: { google: { user: 'ana' } },
      },
    });
    await ask(provider, mode, {
      tools: [{ name: 'now', description: 'The time', inputSchema: { type: 'object', properties: {} } }],
    });
    expect(server.requests[0]).toMatchObject({
      max_tokens: 50,
      temperature: 0,
      top_p: 0.5,
      stop: ['END'],
      seed: 7,
      presence_penalty: 0.1,
      frequency_penalty: 0.2,
      tool_choice: 'required',
      user: 'ana',
      tools: [
        {
          type: 'function',
          function: { name: 'now', description: 'The time', parameters: { type: 'object', properties: {} } },
        },
      ],
    });
    expect(server.headers[0]).toMatchObject({ 'x-team': 'support' });
  });

  it('a tool choice without tools is left out', async () => {
    const { provider, server } = await chat(version, [{ text: 'ok' }], {
      options: { toolChoice: { type: 'required' } },
    });
    await ask(provider, mode, HI);
    expect(server.requests[0]).not.toHaveProperty('tool_choice');
  });
});
