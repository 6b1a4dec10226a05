import { type AgentHook, type CreateAgentOptions, createAgent, type RunEvent } from '@lousho/core';
import { mockModel, transcriptFaults } from '@lousho/core/testing';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { resultOf, roles } from '../approval/support/results.js';
import { calls, type Turn } from '../approval/support/workshop.js';
import { onFullStores } from '../harness/on-stores.js';
import { rejection } from '../support/rejections.js';
import { AS_BILLING, AS_TRIAGE, desk, TRANSFER, told } from './support/desk.js';

const RUN = { sessionId: 'run' };
const BACK: Turn = [{ id: 'back', tool: 'transfer_to_triage' }];

describe('handing a run over', () => {
  onFullStores((newStorage) => {
    it('3.9 the target goes on: its provider, model, instructions and tools; the transcript keeps its beginning', async () => {
      const store = newStorage().open();
      const { triage, asked, order, effects } = desk({
        store,
        turns: [calls('a'), TRANSFER, calls('b'), 'done'],
      });
      const result = await triage.send('Go', RUN);
      expect(result).toMatchObject({ text: 'done', finishReason: 'stop', steps: 4, agentName: 'billing' });
      expect(order).toEqual(['triage', 'triage', 'billing', 'billing']);
      expect(told(asked.triage)).toEqual([AS_TRIAGE, AS_TRIAGE]);
      expect(told(asked.billing)).toEqual([AS_BILLING, AS_BILLING]);
      expect(effects).toEqual(['a', 'b']);
      expect(roles(asked.billing.requests[0]?.messages ?? [])).toBe(
        'system user assistant(a) tool(a) assistant(h) tool(h)',
      );
      const stored = await store.checkpoints.load('run');
      expect(roles(stored?.messages ?? [])).toBe(
        'system user assistant(a) tool(a) assistant(h) tool(h) assistant(b) tool(b) assistant',
      );
      expect(stored).toMatchObject({ agentId: 'agent-t', status: 'finished' });
      expect(stored?.messages[0]?.content).toBe('You sort.');
      expect(stored?.messages[5]?.metadata).toEqual({ handoff: { from: 'triage', to: 'billing' } });
      expect(transcriptFaults(result.messages)).toEqual([]);
    });

    it('3.9 the transfer waits for the other calls of its turn, which the lead carries out', async () => {
      const store = newStorage().open();
      const turns = [[...(TRANSFER as readonly { id: string }[]), { id: 'a' }], 'done'] as readonly Turn[];
      const { triage, effects } = desk({ store, turns });
      const { messages } = await triage.send('Go', RUN);
      expect(effects).toEqual(['a']);
      expect(roles(messages)).toBe('system user assistant(h,a) tool(h) tool(a) assistant');
      // Newest first: the run is with the lead until everything else of the turn is saved.
      const saves = (await store.checkpoints.history('run')).toReversed().map(({ checkpoint }) => ({
        results: [...checkpoint.messages, ...(checkpoint.settledResults ?? [])]
          .filter(({ role }) => role === 'tool')
          .map(({ toolCallId }) => toolCallId),
        tools: Object.keys(checkpoint.agentFingerprint?.tools ?? {}),
      }));
      expect(saves).toEqual([
        { results: [], tools: ['a', 'gated'] },
        { results: ['a'], tools: ['a', 'gated'] },
        { results: ['h', 'a'], tools: ['b', 'refund'] },
        { results: ['h', 'a'], tools: ['b', 'refund'] },
      ]);
    });

    it('3.9 a new run of the session begins with the lead, and is no change of the agent', async () => {
      const store = newStorage().open();
      const { triage, order, asked } = desk({
        store,
        turns: [TRANSFER, 'one', 'two', calls('a'), 'three'],
        onAgentDrift: 'error',
      });
      await triage.send('Go', RUN);
      const second = await triage.send('More', RUN);
      expect(second.agentName).toBeUndefined();
      expect(order).toEqual(['triage', 'billing', 'triage']);
      expect(told(asked.triage)).toEqual([AS_TRIAGE, AS_TRIAGE]);
      const stored = await store.checkpoints.load('run');
      expect(Object.keys(stored?.agentFingerprint?.tools ?? {})).toEqual(['a', 'gated']);
      expect((await triage.send('And more', RUN)).text).toBe('three');
    });

    it('3.9 each turn of a session begins with the lead', async () => {
      const { triage, order } = desk({ store: newStorage().open(), turns: [TRANSFER, 'one', 'two'] });
      const session = triage.session({ id: 'chat' });
      await session.send('Go');
      await session.send('More');
      expect(order).toEqual(['triage', 'billing', 'triage']);
      expect(roles(await session.messages())).toBe('user assistant(h) tool(h) assistant user assistant');
    });
  });

  it('3.9 only one transfer is made in a turn; the others get an error with the turn', async () => {
    const turns: readonly Turn[] = [
      [
        { id: 'a' },
        { id: 'h1', tool: 'transfer_to_billing' },
        { id: 'h2', tool: 'transfer_to_billing' },
        { id: 'h3', tool: 'transfer_to_billing' },
      ],
      'done',
    ];
    const { triage, order, effects } = desk({ turns });
    const { messages } = await triage.send('Go');
    expect(order).toEqual(['triage', 'billing']);
    expect(effects).toEqual(['a']);
    expect(resultOf(messages, 'h1')).toBe('Transferred to billing.');
    for (const id of ['h2', 'h3']) {
      expect(resultOf(messages, id)).toMatchObject({
        kind: 'not-run',
        message: 'transfer_to_billing did not run: only one transfer is made in a turn',
      });
    }
  });

  it('3.9 a run is handed over five times at most, there and back', async () => {
    const turns = [TRANSFER, BACK, TRANSFER, BACK, TRANSFER, BACK, calls('b'), 'done'];
    const { triage, order, asked } = desk({ turns });
    const { messages, agentName } = await triage.send('Go');
    expect(order.join(' ')).toBe('triage billing triage billing triage billing billing billing');
    expect(agentName).toBe('billing');
    const refused = messages.findLast(({ toolCallId }) => toolCallId === 'back');
    expect(JSON.parse(refused?.content as string)).toMatchObject({
      kind: 'not-run',
      message: 'transfer_to_triage did not run: a run is handed over 5 times at most',
    });
    // Back at the lead, its own instructions and tools hold again.
    expect(told(asked.triage)).toEqual([AS_TRIAGE, AS_TRIAGE, AS_TRIAGE]);
  });

  it.each([1, 2])('3.9 maxHandoffs: %j', async (maxHandoffs) => {
    const turns = [TRANSFER, BACK, TRANSFER, BACK, 'done'];
    const { triage, order } = desk({ turns, maxHandoffs });
    await triage.send('Go');
    const stays = maxHandoffs === 1 ? 'billing' : 'triage';
    expect(order.slice(maxHandoffs)).toEqual(new Array(5 - maxHandoffs).fill(stays));
  });

  it('3.9 hooks, limits and steps are those of the lead', async () => {
    const seen: string[] = [];
    const hook: AgentHook = {
      name: 'look',
      beforeModelCall: ({ model }) => void seen.push(`model ${model}`),
      beforeToolCall: ({ toolName }) => void seen.push(`before ${toolName}`),
      afterToolCall: ({ toolName }) => void seen.push(`after ${toolName}`),
    };
    const { triage } = desk({
      turns: [TRANSFER, calls('b'), calls('b'), calls('b'), 'done'],
      maxSteps: 4,
      hooks: [hook],
      billing: {
        maxSteps: 1,
        maxHandoffs: 1,
        hooks: [{ name: 'not asked', beforeModelCall: () => expect.unreachable() }],
      },
    });
    const { finishReason, steps } = await triage.send('Go');
    expect([finishReason, steps]).toEqual(['max-steps', 4]);
    expect(seen).toEqual([
      'model model-t',
      'before transfer_to_billing',
      // The transfer is not executed: nothing comes behind it.
      'model model-b',
      'before b',
      'after b',
      'model model-b',
      'before b',
      'after b',
      'model model-b',
      'before b',
      'after b',
    ]);
  });

  it('3.9 a transfer with the last step ends the run as any other call does', async () => {
    const { triage, order } = desk({ turns: [TRANSFER], maxSteps: 1 });
    expect(await triage.send('Go')).toMatchObject({ finishReason: 'max-steps', agentName: 'billing' });
    expect(order).toEqual(['triage']);
  });

  it.each([
    ['denies', { deny: 'closed' }, { kind: 'denied', reason: 'closed' }],
    ['answers', { result: 'billing is closed' }, 'billing is closed'],
    ['breaks', { input: { reason: 7 } }, { kind: 'validation' }],
  ])('3.9 a hook that %s it keeps the run with the lead', async (_, outcome, expected) => {
    const hook: AgentHook = { name: 'guard', beforeToolCall: () => outcome };
    const { triage, order } = desk({ turns: [TRANSFER, 'done'], hooks: [hook] });
    const { messages, agentName } = await triage.send('Go');
    expect([order, agentName]).toEqual([['triage', 'triage'], undefined]);
    const result = resultOf(messages, 'h');
    if (typeof expected === 'string') expect(result).toBe(expected);
    else expect(result).toMatchObject(expected);
  });

  it('3.9 wrong arguments keep the run with the lead', async () => {
    const turns: readonly Turn[] = [[{ id: 'h', tool: 'transfer_to_billing', args: { reason: 7 } }], 'done'];
    const { triage, order } = desk({ turns });
    expect(resultOf((await triage.send('Go')).messages, 'h')).toMatchObject({
      kind: 'validation',
      issues: [{ path: 'reason' }],
    });
    expect(order).toEqual(['triage', 'triage']);
  });

  it('3.9 the input of a transfer is {reason?}', async () => {
    const { triage, asked, order } = desk({ turns: [[{ id: 'h', tool: 'transfer_to_billing' }], 'done'] });
    await triage.send('Go');
    expect(order).toEqual(['triage', 'billing']);
    expect(asked.triage.requests[0]?.tools.at(-1)).toEqual({
      name: 'transfer_to_billing',
      description: expect.stringContaining('billing'),
      inputSchema: {
        type: 'object',
        properties: { reason: { type: 'string', description: expect.any(String) } },
        additionalProperties: false,
      },
    });
  });

  it('3.9 name, description and input of a transfer are yours to choose', async () => {
    const input = z.object({ order: z.number() });
    const turns: readonly Turn[] = [
      [{ id: 'h0', tool: 'escalate', args: {} }],
      [{ id: 'h1', tool: 'escalate', args: { order: 7 } }],
      'done',
    ];
    const transfer = { toolName: 'escalate', description: 'For bills.', input };
    const { triage, asked, order } = desk({ turns, transfer });
    const { messages } = await triage.send('Go');
    expect(asked.triage.requests[0]?.tools.at(-1)).toMatchObject({
      name: 'escalate',
      description: 'For bills.',
      inputSchema: { required: ['order'] },
    });
    expect(resultOf(messages, 'h0')).toMatchObject({ kind: 'validation' });
    expect(order).toEqual(['triage', 'triage', 'billing']);
  });

  it('3.9 an agent whose name is no name of a tool, and one that says nothing', async () => {
    const target = createAgent({ name: 'Billing & Co (Überseering)', provider: mockModel(['done']) });
    const provider = mockModel([
      { toolCalls: [{ name: 'transfer_to_Billing___Co___berseering_', id: 'h' }] },
    ]);
    const { text, messages } = await createAgent({ provider, handoffs: [target] }).send('Go');
    expect(text).toBe('done');
    expect(roles(messages)).toBe('user assistant(h) tool(h) assistant');
  });

  it('2.6 events: the handoff comes when it is saved, before the end of its step; no start and no end of a tool', async () => {
    const turns = [[...(TRANSFER as readonly { id: string }[]), { id: 'a' }], 'done'] as readonly Turn[];
    const { triage } = desk({ turns });
    const run = triage.stream('Go');
    const events: RunEvent[] = [];
    for await (const event of run) events.push(event);
    const { runId } = run;
    expect(events.map(({ type }) => type)).toEqual([
      'run.start',
      'step.start',
      'tool.start',
      'tool.done',
      'handoff',
      'step.done',
      'step.start',
      'text.delta',
      'text.done',
      'step.done',
      'run.done',
    ]);
    expect(events[0]).toMatchObject({ agentName: 'triage', agentId: 'agent-t' });
    const { timestamp, ...event } = events[4] as RunEvent;
    expect(event).toEqual({
      type: 'handoff',
      from: 'triage',
      to: 'billing',
      toolCallId: 'h',
      runId,
      seq: 4,
      v: 1,
    });
  });

  it('I6 a steer keeps a transfer that waits from being made', async () => {
    const turns = [[...(TRANSFER as readonly { id: string }[]), { id: 'a' }], 'done'] as readonly Turn[];
    const steer: AgentHook = {
      name: 'steer',
      afterToolCall: () => void expect(run.steer('Stay here.').applied).toBe('queued'),
    };
    const { triage, order, effects } = desk({ turns, hooks: [steer] });
    const run = triage.stream('Go');
    const { messages, agentName } = await run.result;
    expect([order, effects, agentName]).toEqual([['triage', 'triage'], ['a'], undefined]);
    expect(resultOf(messages, 'h')).toMatchObject({ kind: 'not-run' });
    expect(roles(messages)).toBe('system user assistant(h,a) tool(h) tool(a) user assistant');
  });

  it('I1 input that is queued before a handoff reaches the target', async () => {
    const enqueue: AgentHook = {
      name: 'enqueue',
      beforeToolCall: ({ toolName }) => {
        if (toolName === 'transfer_to_billing') run.enqueue('And hurry.');
      },
    };
    const { triage, order } = desk({ turns: [TRANSFER, 'done'], hooks: [enqueue] });
    const run = triage.stream('Go');
    const { messages } = await run.result;
    expect(order).toEqual(['triage', 'billing']);
    expect(roles(messages)).toBe('system user assistant(h) tool(h) user assistant');
  });

  it('3.8 an abort leaves the run with the lead, the transfer cancelled', async () => {
    const controller = new AbortController();
    const hook: AgentHook = { name: 'stop', beforeToolCall: () => void controller.abort() };
    const { triage, order } = desk({ turns: [TRANSFER], hooks: [hook] });
    const result = await triage.send('Go', { signal: controller.signal });
    expect(result.finishReason).toBe('aborted');
    expect(result.agentName).toBeUndefined();
    expect(resultOf(result.messages, 'h')).toMatchObject({ kind: 'not-run' });
    expect(order).toEqual(['triage']);
  });

  it('a skill and a question belong to the agent that has them', async () => {
    const skills = [{ name: 'bills', description: 'Explains bills.', content: 'Be patient.' }];
    const { triage, asked } = desk({ turns: [TRANSFER, 'done'], billing: { skills, askQuestion: true } });
    await triage.send('Go');
    const names = (tools: readonly { readonly name: string }[] = []) => tools.map(({ name }) => name);
    expect(names(asked.triage.requests[0]?.tools)).toEqual(AS_TRIAGE.tools);
    expect(names(asked.billing.requests[0]?.tools)).toEqual([
      'b',
      'refund',
      'ask_question',
      'load_skill',
      'transfer_to_triage',
    ]);
  });

  it('wrong handoffs are refused at once', () => {
    const provider = mockModel([]);
    const agent = (name: string) => createAgent({ provider, name });
    const make = (options: Partial<Record<keyof CreateAgentOptions, unknown>>) => () =>
      createAgent({ provider, name: 'triage', ...(options as object) });
    const invalid = expect.objectContaining({ code: 'LOUSHO_CONFIG_INVALID' });
    const billing = agent('billing');
    for (const handoffs of [
      'billing',
      ['billing'],
      [null],
      [{}],
      [{ name: 'billing', send: () => undefined }],
      [{ agent: billing, tool: 'escalate' }],
      [{ agent: billing, toolName: 'no name' }],
      [{ agent: billing, needsApproval: 'maybe' }],
      [agent('triage')],
      [billing, agent('billing')],
      [
        { agent: billing, toolName: 'escalate' },
        { agent: agent('sales'), toolName: 'escalate' },
      ],
    ])
      expect(make({ handoffs }), JSON.stringify(handoffs)).toThrow(invalid);
    for (const maxHandoffs of [0, -1, 1.5, Number.NaN, '5']) expect(make({ maxHandoffs })).toThrow(invalid);
    const transfer = { name: 'transfer_to_billing', description: '', inputSchema: {}, input: {} as never };
    const tools = [{ ...transfer, execute: () => 1 }];
    expect(make({ tools, handoffs: [billing] })).toThrow(
      expect.objectContaining({ code: 'LOUSHO_TOOL_DUPLICATE' }),
    );
    expect(make({ handoffs: [] })).not.toThrow();
  });

  it('handoffs that a function gives are checked when a run begins', async () => {
    const provider = mockModel([]);
    const wrong = createAgent({ provider, handoffs: () => ['billing'] as never });
    expect(await rejection(wrong.send('Go'))).toMatchObject({
      code: 'LOUSHO_CONFIG_RESOLVER_FAILED',
      field: 'handoffs',
      cause: { code: 'LOUSHO_CONFIG_INVALID' },
    });
    const cause = new Error('down');
    const fails = createAgent({ provider, handoffs: () => Promise.reject(cause) });
    expect(await rejection(fails.send('Go'))).toMatchObject({ field: 'handoffs', cause });
    expect(provider.calls).toEqual([]);
  });

  it('3.13 handoffs may be chosen per run', async () => {
    const billing = createAgent({ name: 'billing', provider: mockModel(['done']) });
    const provider = mockModel(['one', 'two']);
    const agent = createAgent({
      provider,
      handoffs: ({ metadata }) => (metadata?.isOpen ? [billing] : undefined),
    });
    await agent.send('Go', { metadata: { isOpen: true } });
    await agent.send('Go');
    expect(provider.calls.map(({ tools }) => tools.map(({ name }) => name))).toEqual([
      ['transfer_to_billing'],
      [],
    ]);
  });
});
