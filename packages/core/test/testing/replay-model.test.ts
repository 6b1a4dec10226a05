import { createAgent } from '@lousho/core';
import {
  comparable,
  type RecordedMessage,
  recordedTurns,
  replayModel,
  toRecording,
} from '@lousho/core/testing';
import { describe, expect, it } from 'vitest';

const call = (id: string, name: string, args = '{"city": "Oslo"}') => ({
  id,
  type: 'function',
  function: { name, arguments: args },
});

/** Two user messages; the second turn uses a call id of the first again. */
const RECORDING: readonly RecordedMessage[] = [
  { role: 'system', content: 'Be brief.' },
  { role: 'user', content: 'Weather in Oslo?' },
  { role: 'assistant', content: null, tool_calls: [call('call_0', 'weather'), call('call_1', 'news')] },
  { role: 'tool', tool_call_id: 'call_0', name: 'weather', content: 'rain' },
  { role: 'tool', tool_call_id: 'call_1', name: 'news', content: '{"top": []}' },
  { role: 'assistant', content: 'Rain.' },
  { role: 'user', content: 'And tomorrow?' },
  { role: 'assistant', content: 'Let me see.', tool_calls: [call('call_0', 'weather', 'not JSON at all')] },
  { role: 'tool', tool_call_id: 'call_0', name: 'weather', content: 'sun' },
  { role: 'assistant', content: 'Sun.' },
  { role: 'user', content: 'Thanks' },
];

describe('replayModel', () => {
  it('knows the turns, the tools and the instructions of a recording', () => {
    const model = replayModel(RECORDING);
    expect(model.instructions).toBe('Be brief.');
    expect(model.tools.map((tool) => tool.name)).toEqual(['weather', 'news']);
    expect(model.turns).toEqual([
      { input: 'Weather in Oslo?', steps: 2 },
      { input: 'And tomorrow?', steps: 2 },
    ]);
    expect(recordedTurns(RECORDING)).toEqual(model.turns);
  });

  it('answers by position in the transcript, and keeps none of its own', async () => {
    const model = replayModel(RECORDING);
    const messages = [
      { role: 'user' as const, content: 'x' },
      { role: 'assistant' as const, content: '' },
    ];
    for (let time = 0; time < 2; time++)
      expect((await model.generate({ messages, tools: [], step: 2 })).text).toBe('Rain.');
    expect((await model.generate({ messages: [], tools: [], step: 1 })).toolCalls).toHaveLength(2);
  });

  it('refuses to answer beyond the recording', async () => {
    const messages = Array.from({ length: 4 }, () => ({ role: 'assistant' as const, content: '' }));
    await expect(replayModel(RECORDING).generate({ messages, tools: [], step: 5 })).rejects.toMatchObject({
      code: 'LOUSHO_TEST_FAILED',
    });
  });

  it('takes a call’s result from its own turn', async () => {
    const [weather] = replayModel(RECORDING).tools;
    const context = (turns: number) => ({
      toolName: 'weather',
      toolCallId: 'call_0',
      runId: 'r',
      stepIndex: 1,
      step: async <T>(_: string, work: () => T | Promise<T>) => work(),
      signal: new AbortController().signal,
      messages: Array.from({ length: turns }, () => ({ role: 'assistant' as const, content: '' })),
    });
    expect(await weather?.execute({}, context(1))).toBe('rain');
    expect(await weather?.execute({}, context(3))).toBe('sun');
  });

  it('a run over well-formed turns gives the recording again', async () => {
    const first = RECORDING.slice(0, 6);
    const model = replayModel(first);
    const agent = createAgent({
      provider: model,
      tools: model.tools,
      ...(model.instructions !== undefined && { instructions: model.instructions }),
    });
    const { messages } = await agent.send(model.turns[0]?.input ?? '');
    expect(comparable(toRecording(messages))).toEqual(comparable(first));
  });
});
