import { createAgent, defineTool, type LLMProvider, type RunEvent } from '@lousho/core';
import { mockModel } from '@lousho/core/testing';
import { context, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { describe, expect, it } from 'vitest';
import { collected } from './support/collected.js';

const usage = { model: 'small-1-2026', inputTokens: 30, outputTokens: 5, cachedInputTokens: 20 };

function tool(name: string, execute: () => unknown = () => `${name} done`) {
  return defineTool({ name, description: `Does ${name}`, execute });
}

const turn = (...names: readonly string[]) => ({
  toolCalls: names.map((name) => ({ name, id: `call-${name}` })),
  usage,
});

describe('the spans of a run', () => {
  it('stand below one another as the run, its steps and their calls do', async () => {
    const { observer, tree } = collected();
    const provider = mockModel([turn('look', 'weigh'), 'Done'], { defaultModel: 'small-1' });
    await createAgent({ provider, tools: [tool('look'), tool('weigh')], name: 'helper', observer }).send(
      'Go',
    );
    expect(tree()).toBe(
      [
        'invoke_agent helper',
        '  lousho.step',
        '    chat small-1',
        '    execute_tool look',
        '    execute_tool weigh',
        '  lousho.step',
        '    chat small-1',
      ].join('\n'),
    );
  });

  it('have the names and kinds of the conventions', async () => {
    const { observer, span, spans } = collected();
    const provider = mockModel([turn('look'), { text: 'Done', usage }], { defaultModel: 'small-1' });
    const agent = createAgent({ provider, tools: [tool('look')], name: 'helper', id: 'h1', observer });
    const { runId } = await agent.send('Go');
    expect(span('invoke_agent helper')).toMatchObject({
      kind: SpanKind.INTERNAL,
      status: { code: SpanStatusCode.UNSET },
      links: [],
      attributes: {
        'gen_ai.operation.name': 'invoke_agent',
        'gen_ai.provider.name': 'mock',
        'gen_ai.agent.name': 'helper',
        'gen_ai.agent.id': 'h1',
        'gen_ai.request.model': 'small-1',
        'gen_ai.response.finish_reasons': ['stop'],
        'gen_ai.usage.input_tokens': 60,
        'gen_ai.usage.output_tokens': 10,
        'lousho.run.id': runId,
        'lousho.run.resumed': false,
      },
    });
    const [chat] = spans.filter(({ name }) => name === 'chat small-1');
    expect(chat?.kind).toBe(SpanKind.CLIENT);
    expect(chat?.attributes).toStrictEqual({
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'mock',
      'gen_ai.request.model': 'small-1',
      'gen_ai.agent.name': 'helper',
      'gen_ai.response.model': 'small-1-2026',
      'gen_ai.response.finish_reasons': ['tool_calls'],
      'gen_ai.usage.input_tokens': 30,
      'gen_ai.usage.output_tokens': 5,
      'gen_ai.usage.cache_read.input_tokens': 20,
      'lousho.run.id': runId,
      'lousho.step': 1,
    });
    expect(span('execute_tool look').kind).toBe(SpanKind.INTERNAL);
    expect(span('execute_tool look').attributes).toStrictEqual({
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': 'look',
      'gen_ai.tool.call.id': 'call-look',
      'gen_ai.tool.type': 'function',
      'gen_ai.tool.description': 'Does look',
      'lousho.run.id': runId,
      'lousho.step': 1,
    });
    const steps = spans.filter(({ name }) => name === 'lousho.step');
    expect(steps.map(({ attributes }) => attributes['lousho.step'])).toEqual([1, 2]);
  });

  it('stand below the span in which the run was asked for', async () => {
    const { observer, tracer, tree } = collected();
    const agent = createAgent({ provider: mockModel(['Hi']), observer });
    await tracer.startActiveSpan('POST /chat', async (request) => {
      await agent.send('Go');
      request.end();
    });
    expect(tree().split('\n').slice(0, 2)).toEqual(['POST /chat', '  invoke_agent agent']);
  });

  it('are active while a tool and a provider run, also a provider that streams', async () => {
    const { observer, tracer, tree } = collected();
    const request = (name: string) => tracer.startSpan(name).end();
    const answers = mockModel([turn('look'), 'Done']);
    const provider: LLMProvider = {
      ...answers,
      async *stream(asked) {
        request('POST /v1/messages');
        yield* answers.stream?.(asked) ?? [];
        request('POST /v1/usage');
      },
    };
    const look = tool('look', async () => {
      await Promise.resolve();
      request('GET /orders');
    });
    const run = createAgent({ provider, tools: [look], observer }).stream('Go');
    for await (const _ of run);
    await run.result;
    expect(tree()).toContain('    chat\n      POST /v1/messages\n');
    expect(tree()).toContain('    execute_tool look\n      GET /orders\n');
  });

  it('tell that a call was streamed', async () => {
    const { observer, span } = collected();
    const run = createAgent({ provider: mockModel(['Hello'], { defaultModel: 'm' }), observer }).stream('Go');
    const events: RunEvent[] = [];
    for await (const event of run) events.push(event);
    expect(events.at(-1)).toMatchObject({ type: 'run.done', finishReason: 'stop' });
    expect(span('chat m').attributes).toMatchObject({ 'gen_ai.request.stream': true });
  });
});

describe('what fails', () => {
  const failure = () => new Error('no: 4111 1111 is not a card');

  it('a tool: its span has the error’s name and nothing of its text, and the run goes on', async () => {
    const { observer, span } = collected();
    const fails = tool('pay', () => {
      throw failure();
    });
    await createAgent({ provider: mockModel([turn('pay'), 'Sorry']), tools: [fails], observer }).send('Go');
    const { status, attributes, events } = span('execute_tool pay');
    expect({ status, events }).toEqual({ status: { code: SpanStatusCode.ERROR }, events: [] });
    expect(attributes['error.type']).toBe('Error');
    expect(span('invoke_agent agent').status.code).toBe(SpanStatusCode.UNSET);
  });

  it('a model: its span, its step and its run have the code', async () => {
    const { observer, spans } = collected();
    const agent = createAgent({ provider: mockModel([{ error: failure() }]), observer });
    await expect(agent.send('Go')).rejects.toThrow();
    expect(spans.map(({ name, ended }) => [name, ended])).toEqual([
      ['invoke_agent agent', true],
      ['lousho.step', true],
      ['chat', true],
    ]);
    for (const { status, attributes, events } of spans) {
      expect(status).toEqual({ code: SpanStatusCode.ERROR });
      expect(attributes['error.type']).toBe('LOUSHO_PROVIDER_REQUEST_FAILED');
      expect(events).toEqual([]);
    }
  });

  it('nothing, where the run was aborted: calls say that they were cut off', async () => {
    const { observer, span, spans } = collected();
    const controller = new AbortController();
    const provider = mockModel([{ text: 'Late', delayMs: 60_000 }]);
    const sent = createAgent({ provider, observer }).send('Go', { signal: controller.signal });
    while (spans.length < 3) await new Promise((resolve) => setImmediate(resolve));
    controller.abort();
    await sent;
    expect(span('chat').attributes).toMatchObject({ 'lousho.cut_off': true });
    expect(span('invoke_agent agent').attributes).toMatchObject({
      'gen_ai.response.finish_reasons': ['aborted'],
    });
    expect(spans.map(({ status }) => status.code)).toEqual(spans.map(() => SpanStatusCode.UNSET));
  });
});

describe('other agents', () => {
  it('a sub-agent’s run stands below the call that it works for', async () => {
    const { observer, tree, span } = collected();
    const researcher = createAgent({
      name: 'researcher',
      provider: mockModel([turn('look'), 'Found']),
      tools: [tool('look')],
    });
    const task = {
      name: 'task',
      id: 't',
      args: { agent: 'researcher', prompt: 'Find', description: 'find' },
    };
    const lead = createAgent({
      name: 'lead',
      provider: mockModel([{ toolCalls: [task] }, 'Done']),
      subagents: [{ agent: researcher, name: 'researcher', description: 'Finds things' }],
      observer,
    });
    await lead.send('Go');
    expect(tree()).toBe(
      [
        'invoke_agent lead',
        '  lousho.step',
        '    chat',
        '    execute_tool task',
        '      invoke_agent researcher',
        '        lousho.step',
        '          chat',
        '          execute_tool look',
        '        lousho.step',
        '          chat',
        '  lousho.step',
        '    chat',
      ].join('\n'),
    );
    expect(span('invoke_agent researcher').attributes).toMatchObject({
      'lousho.subagent.path': ['researcher'],
    });
  });

  it('a handoff is an event of its step, and the steps behind it are the target’s', async () => {
    const { observer, spans } = collected();
    const billing = createAgent({ name: 'billing', provider: mockModel(['Paid'], { defaultModel: 'b' }) });
    const desk = createAgent({
      name: 'desk',
      provider: mockModel([turn('transfer_to_billing')], { defaultModel: 'd' }),
      handoffs: [billing],
      observer,
    });
    await desk.send('Go');
    const steps = spans.filter(({ name }) => name === 'lousho.step');
    expect(steps.map(({ attributes }) => attributes['gen_ai.agent.name'])).toEqual(['desk', 'billing']);
    expect(steps[0]?.events.map(({ name, attributes }) => ({ name, ...attributes }))).toEqual([
      {
        name: 'lousho.handoff',
        'gen_ai.tool.call.id': 'call-transfer_to_billing',
        'lousho.handoff.from': 'desk',
        'lousho.handoff.to': 'billing',
      },
    ]);
    expect(spans.map(({ name }) => name)).toContain('chat b');
  });

  it('a run that a tool asks for stands below the tool', async () => {
    const { observer, tree } = collected();
    const inner = createAgent({ name: 'inner', provider: mockModel(['Yes']), observer });
    const ask = tool('ask', async () => (await inner.send('Go')).text);
    const outer = createAgent({
      name: 'outer',
      provider: mockModel([turn('ask'), 'Done']),
      tools: [ask],
      observer,
    });
    await outer.send('Go');
    expect(tree()).toContain('    execute_tool ask\n      invoke_agent inner\n');
  });
});

describe('without a context manager', () => {
  it('spans keep their parents', async () => {
    const { observer, tree } = collected();
    context.disable();
    expect(trace.getActiveSpan()).toBeUndefined();
    await createAgent({ provider: mockModel([turn('look'), 'Done']), tools: [tool('look')], observer }).send(
      'Go',
    );
    expect(tree().split('\n').slice(0, 4)).toEqual([
      'invoke_agent agent',
      '  lousho.step',
      '    chat',
      '    execute_tool look',
    ]);
  });
});
