import type { ModelRequest, ModelStreamPart } from '@lousho/core';
import { mockModel } from '@lousho/core/testing';
import { describe, expect, it } from 'vitest';

const request = (fields: Partial<ModelRequest> = {}): ModelRequest => ({
  messages: [{ role: 'user', content: 'Hi' }],
  tools: [],
  step: 1,
  ...fields,
});

async function partsOf(parts: AsyncIterable<ModelStreamPart> | undefined): Promise<ModelStreamPart[]> {
  const all: ModelStreamPart[] = [];
  for await (const part of parts ?? []) all.push(part);
  return all;
}

describe('mockModel', () => {
  it('answers with text, calls and usage, call ids counted across the script', async () => {
    const model = mockModel([
      'Hello.',
      {
        toolCalls: [{ name: 'a', args: { n: 1 } }, { name: 'b' }],
        usage: { inputTokens: 1, outputTokens: 2 },
      },
      { text: 'More', toolCalls: [{ name: 'a' }, { name: 'a', id: 'own' }] },
    ]);
    expect(await model.generate(request())).toEqual({ text: 'Hello.', finishReason: 'stop' });
    expect(await model.generate(request())).toEqual({
      text: '',
      finishReason: 'tool_calls',
      toolCalls: [
        { id: 'call_1', type: 'function', function: { name: 'a', arguments: '{"n":1}' } },
        { id: 'call_2', type: 'function', function: { name: 'b', arguments: '{}' } },
      ],
      usage: { inputTokens: 1, outputTokens: 2 },
    });
    const { toolCalls } = await model.generate(request());
    expect(toolCalls?.map((call) => call.id)).toEqual(['call_3', 'own']);
  });

  it('takes names of tools for calls without arguments', async () => {
    const { toolCalls, finishReason } = await mockModel([['charge', 'ship']]).generate(request());
    expect(toolCalls?.map((call) => call.function)).toEqual([
      { name: 'charge', arguments: '{}' },
      { name: 'ship', arguments: '{}' },
    ]);
    expect(finishReason).toBe('tool_calls');
  });

  it('asks a function for its turn', async () => {
    const model = mockModel([async ({ messages }) => `You said ${messages[0]?.content}.`]);
    expect((await model.generate(request())).text).toBe('You said Hi.');
  });

  it('remembers every request, failed ones included, frozen as it was', async () => {
    const messages = [{ role: 'user' as const, content: 'Hi' }];
    const model = mockModel([{ error: new Error('no') }, 'ok']);
    await expect(model.generate(request({ messages }))).rejects.toThrow('no');
    messages.push({ role: 'user', content: 'later' });
    expect(model.calls).toHaveLength(1);
    expect(model.lastCall?.messages).toEqual([{ role: 'user', content: 'Hi' }]);
    const remembered = model.calls[0]?.messages as unknown[] | undefined;
    expect(() => remembered?.push('x')).toThrow(TypeError);
    await model.generate(request());
    expect(model.calls).toHaveLength(2);
  });

  it('fails when the script is over, or repeats its last turn', async () => {
    const strict = mockModel(['ok']);
    await strict.generate(request());
    await expect(strict.generate(request())).rejects.toMatchObject({ code: 'LOUSHO_TEST_FAILED' });
    const patient = mockModel(['one', 'two'], { onExhausted: 'repeat-last' });
    const texts = [];
    for (let n = 0; n < 4; n++) texts.push((await patient.generate(request())).text);
    expect(texts).toEqual(['one', 'two', 'two', 'two']);
  });

  it('assertExhausted() and reset()', async () => {
    const model = mockModel([{ toolCalls: [{ name: 'a' }] }]);
    expect(() => model.assertExhausted()).toThrow(/only 0 requests/);
    const first = await model.generate(request());
    model.assertExhausted();
    model.reset();
    expect(model.calls).toEqual([]);
    expect(await model.generate(request())).toEqual(first);
  });

  it('by transcript, goes on where the transcript stands, also when it was made anew', async () => {
    const script = [{ toolCalls: [{ name: 'a' }, { name: 'b' }] }, { toolCalls: [{ name: 'c' }] }, 'Done.'];
    const said = (count: number) =>
      request({ messages: Array.from({ length: count }, () => ({ role: 'assistant', content: '' })) });
    const idsOf = async (count: number) => {
      const { toolCalls } = await mockModel(script, { turnBy: 'transcript' }).generate(said(count));
      return toolCalls?.map(({ id }) => id);
    };
    expect(await idsOf(0)).toEqual(['call_1_1', 'call_1_2']);
    expect(await idsOf(1)).toEqual(['call_2_1']);
    const model = mockModel(script, { turnBy: 'transcript' });
    expect((await model.generate(said(2))).text).toBe('Done.');
    model.assertExhausted();
    await expect(model.generate(said(3))).rejects.toMatchObject({ code: 'LOUSHO_TEST_FAILED' });
  });

  it('streams word by word, and ends with the same response as generate()', async () => {
    const turn = { text: ' One  two\nthree', toolCalls: [{ name: 'a' }] };
    const response = await mockModel([turn]).generate(request());
    const parts = await partsOf(mockModel([turn]).stream?.(request()));
    const deltas = parts.flatMap((part) => (part.type === 'text-delta' ? [part.delta] : []));
    expect(deltas.join('')).toBe(' One  two\nthree');
    expect(deltas.length).toBeGreaterThan(2);
    expect(parts.at(-1)).toEqual({ type: 'finish', response });
  });

  it('refuses an aborted request, and rejects a delayed one at once with the signal’s reason', async () => {
    const model = mockModel(['ok', { text: 'slow', delayMs: 60_000 }]);
    await expect(model.generate(request({ signal: AbortSignal.abort() }))).rejects.toMatchObject({
      name: 'AbortError',
    });
    const controller = new AbortController();
    const answer = model.generate(request({ signal: controller.signal }));
    controller.abort(new Error('my reason'));
    await expect(answer).rejects.toThrow('my reason');
  });

  it('with ignoreSignal answers all the same', async () => {
    const controller = new AbortController();
    const model = mockModel([{ text: 'late', delayMs: 5, ignoreSignal: true }]);
    const answer = model.generate(request({ signal: controller.signal }));
    controller.abort();
    expect((await answer).text).toBe('late');
  });

  it('a stream stops between its parts', async () => {
    const controller = new AbortController();
    const seen: string[] = [];
    const reading = (async () => {
      for await (const part of mockModel(['one two three']).stream?.(
        request({ signal: controller.signal }),
      ) ?? []) {
        if (part.type === 'text-delta') seen.push(part.delta);
        controller.abort();
      }
    })();
    await expect(reading).rejects.toMatchObject({ name: 'AbortError' });
    expect(seen).toEqual(['one ']);
  });

  it('refuses a script that is no list', () => {
    expect(() => mockModel('hello' as never)).toThrow(
      expect.objectContaining({ code: 'LOUSHO_CONFIG_INVALID' }),
    );
  });
});
