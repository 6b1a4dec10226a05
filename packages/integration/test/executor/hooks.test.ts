import { type AgentHook, createAgent, defineTool } from '@lousho/core';
import { mockModel, transcriptFaults } from '@lousho/core/testing';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { codeOf, rejection } from '../support/rejections.js';
import { roles, spyStore } from './support/spy-store.js';
import { calls, countingTool } from './support/tools.js';

const SESSION = { sessionId: 'order-7' };

function charge() {
  const ran: unknown[] = [];
  const tool = defineTool({
    name: 'charge',
    description: 'Charge',
    input: z.object({ amount: z.number() }),
    execute: (args) => {
      ran.push(args);
      return `charged ${args.amount}`;
    },
  });
  return { tool, ran };
}

async function chargeWith(hooks: readonly AgentHook[]) {
  const { tool, ran } = charge();
  const provider = mockModel([{ toolCalls: [{ name: 'charge', id: 'c1', args: { amount: 5 } }] }, 'ok']);
  const store = spyStore();
  const result = await createAgent({ provider, tools: [tool], hooks, store }).send('Go', SESSION);
  return { ran, call: result.toolCalls[0], messages: result.messages };
}

describe('hooks before a tool call', () => {
  it('deny: the call does not run, and the model is told why', async () => {
    const { ran, call } = await chargeWith([
      { name: 'a', beforeToolCall: () => ({ deny: 'over the limit' }) },
    ]);
    expect(ran).toEqual([]);
    expect(call).toMatchObject({
      isError: true,
      result: { error: 'ToolDeniedError', kind: 'denied', reason: 'over the limit', toolName: 'charge' },
    });
  });

  it('result: answers in its place, as a good result', async () => {
    const { ran, call } = await chargeWith([
      { name: 'a', beforeToolCall: () => ({ result: { cached: true } }) },
    ]);
    expect(ran).toEqual([]);
    expect(call?.result).toEqual({ cached: true });
    expect(call?.isError).toBeUndefined();
  });

  it('input: other arguments reach the tool and the next hook', async () => {
    const seen: unknown[] = [];
    const { ran } = await chargeWith([
      {
        name: 'double',
        beforeToolCall: ({ args }) => ({ input: { amount: (args as { amount: number }).amount * 2 } }),
      },
      { name: 'look', beforeToolCall: ({ args }) => void seen.push(args) },
      {
        name: 'add',
        beforeToolCall: ({ args }) => ({ input: { amount: (args as { amount: number }).amount + 1 } }),
      },
    ]);
    expect(seen).toEqual([{ amount: 10 }]);
    expect(ran).toEqual([{ amount: 11 }]);
  });

  it('input that does not fit the schema is refused; the tool and later hooks do not run', async () => {
    const later: string[] = [];
    const { ran, call } = await chargeWith([
      { name: 'break', beforeToolCall: () => ({ input: { amount: 'many' } }) },
      { name: 'later', beforeToolCall: ({ toolName }) => void later.push(toolName) },
    ]);
    expect([ran, later]).toEqual([[], []]);
    expect(call).toMatchObject({ isError: true, result: { kind: 'validation' } });
  });

  it('the first deny or result ends the line', async () => {
    const later: string[] = [];
    const hook: AgentHook = { name: 'later', beforeToolCall: ({ toolName }) => void later.push(toolName) };
    await chargeWith([{ name: 'deny', beforeToolCall: () => ({ deny: 'no' }) }, hook]);
    await chargeWith([{ name: 'answer', beforeToolCall: () => ({ result: 1 }) }, hook]);
    expect(later).toEqual([]);
  });

  it('a result of undefined answers too', async () => {
    const { ran, call } = await chargeWith([{ name: 'a', beforeToolCall: () => ({ result: undefined }) }]);
    expect(ran).toEqual([]);
    expect(call?.result).toBeNull();
  });

  it.each([
    { deny: 'no', input: { amount: 1 } },
    { deny: 'no', result: 1 },
  ])('3.25 a deny beside something else (%j) is a deny', async (outcome) => {
    const { ran, call } = await chargeWith([{ name: 'both', beforeToolCall: () => outcome as never }]);
    expect(ran).toEqual([]);
    expect(call).toMatchObject({ isError: true, result: { kind: 'denied', reason: 'no' } });
  });

  it('3.25 input of the hooks before a deny or a result is not carried further', async () => {
    const double: AgentHook = {
      name: 'double',
      beforeToolCall: ({ args }) => ({ input: { amount: (args as { amount: number }).amount * 2 } }),
    };
    const seen: unknown[] = [];
    const { ran, call } = await chargeWith([
      double,
      double,
      {
        name: 'cache',
        beforeToolCall: ({ args }) => {
          seen.push(args);
          return { result: 'cached' };
        },
      },
      double,
    ]);
    expect([ran, seen, call?.result]).toEqual([[], [{ amount: 20 }], 'cached']);
  });

  it('3.25 each input is validated, also one that a later hook would mend', async () => {
    const { ran, call } = await chargeWith([
      { name: 'break', beforeToolCall: () => ({ input: { amount: 'many' } }) },
      { name: 'mend', beforeToolCall: () => ({ input: { amount: 1 } }) },
    ]);
    expect(ran).toEqual([]);
    expect(call).toMatchObject({ result: { kind: 'validation', issues: [{ path: 'amount' }] } });
  });

  it('an outcome of null says nothing', async () => {
    const { ran } = await chargeWith([{ name: 'odd', beforeToolCall: () => null as never }]);
    expect(ran).toEqual([{ amount: 5 }]);
  });

  it.each([{}, { allow: false }, true, 'no', { deny: 7 }, { deny: undefined }])(
    'an outcome that is none of the three (%j) is no permission',
    async (outcome) => {
      const { tool, ran } = charge();
      const provider = mockModel([{ toolCalls: [{ name: 'charge', args: { amount: 5 } }] }]);
      const hooks: AgentHook[] = [{ name: 'odd', beforeToolCall: () => outcome as never }];
      expect(await codeOf(createAgent({ provider, tools: [tool], hooks }).send('Go'))).toBe(
        'LOUSHO_HOOK_FAILED',
      );
      expect(ran).toEqual([]);
    },
  );

  it('3.25 a result that cannot be stored is a mistake of the hook', async () => {
    const { tool, ran } = charge();
    const provider = mockModel([{ toolCalls: [{ name: 'charge', args: { amount: 5 } }] }]);
    const hooks: AgentHook[] = [{ name: 'odd', beforeToolCall: () => ({ result: 1n }) }];
    expect(await rejection(createAgent({ provider, tools: [tool], hooks }).send('Go'))).toMatchObject({
      code: 'LOUSHO_HOOK_FAILED',
      detail: expect.stringContaining('odd.beforeToolCall'),
      cause: { code: 'LOUSHO_VALUE_INVALID' },
    });
    expect(ran).toEqual([]);
  });

  it('J11 a hook that throws rejects the run before the tool runs; the checkpoint stays in progress', async () => {
    const { tool, ran } = charge();
    const store = spyStore();
    const cause = new Error('policy service down');
    const provider = mockModel([{ toolCalls: [{ name: 'charge', id: 'c1', args: { amount: 5 } }] }, 'ok']);
    let isDown = true;
    const hook: AgentHook = {
      name: 'policy',
      beforeToolCall: () => {
        if (isDown) throw cause;
      },
    };
    const agent = createAgent({ provider, tools: [tool], hooks: [hook], store });
    const error = await rejection(agent.send('Go', SESSION));
    expect(error).toMatchObject({ code: 'LOUSHO_HOOK_FAILED', cause });
    expect(error.message).toMatch(/policy/);
    expect(ran).toEqual([]);
    const stored = await store.inner.load('order-7');
    expect(stored).toMatchObject({
      status: 'in-progress',
      attempts: 1,
      lastError: { code: 'LOUSHO_HOOK_FAILED' },
    });
    expect(roles(stored?.messages ?? [])).toBe('user assistant(c1)');
    isDown = false;
    expect((await agent.resume('order-7'))?.text).toBe('ok');
    expect(provider.calls).toHaveLength(2);
  });

  it('3.19 a hook that throws lets running siblings settle and starts no further call', async () => {
    const store = spyStore();
    const [a, b, c] = [countingTool('a'), countingTool('b'), countingTool('c')];
    const hook: AgentHook = {
      name: 'guard',
      beforeToolCall: ({ toolName }) => {
        if (toolName === 'b') throw new Error('no');
      },
    };
    const provider = mockModel([calls('a', 'b', 'c')]);
    const agent = createAgent({ provider, tools: [a, b, c], hooks: [hook], store });
    expect(await codeOf(agent.send('Go', SESSION))).toBe('LOUSHO_HOOK_FAILED');
    expect([a.started.length, b.started.length, c.started.length]).toEqual([1, 0, 0]);
    expect(roles((await store.inner.load('order-7'))?.messages ?? [])).toBe('user assistant(a,b,c) tool(a)');
  });
});

describe('hooks after a tool call', () => {
  it('result: replaces what the tool returned, in the transcript too', async () => {
    const { ran, call, messages } = await chargeWith([
      {
        name: 'redact',
        afterToolCall: ({ result }) => ({ result: `seen ${JSON.parse(result.content as string)}` }),
      },
    ]);
    expect(ran).toHaveLength(1);
    expect(call?.result).toBe('seen charged 5');
    expect(transcriptFaults(messages)).toEqual([]);
  });

  it('3.25 see the result as the hooks before them left it, and every one is asked', async () => {
    const seen: unknown[] = [];
    const append = (text: string): AgentHook => ({
      name: text,
      afterToolCall: ({ result }) => {
        seen.push(JSON.parse(result.content as string));
        return { result: `${JSON.parse(result.content as string)}, ${text}` };
      },
    });
    const look: AgentHook = {
      name: 'look',
      afterToolCall: ({ result }) => void seen.push(JSON.parse(result.content as string)),
    };
    const { call } = await chargeWith([append('signed'), look, append('sealed')]);
    expect(call?.result).toBe('charged 5, signed, sealed');
    expect(seen).toEqual(['charged 5', 'charged 5, signed', 'charged 5, signed']);
  });

  it('3.25 may turn an error into a result, and undefined is one', async () => {
    const a = countingTool('a', () => {
      throw new Error('no');
    });
    const hook: AgentHook = { name: 'mend', afterToolCall: () => ({ result: undefined }) };
    const provider = mockModel([calls('a'), 'ok']);
    const { toolCalls } = await createAgent({ provider, tools: [a], hooks: [hook] }).send('Go');
    expect(toolCalls[0]).toEqual({ id: 'a', name: 'a', args: {}, result: null });
  });

  it.each([{}, { deny: 'no' }, true, 'redacted', { result: 1n }])(
    '3.25 an outcome that is no result (%s) rejects the run, and the result of the tool is not kept',
    async (outcome) => {
      const store = spyStore();
      const a = countingTool('a');
      const hook: AgentHook = { name: 'odd', afterToolCall: () => outcome as never };
      const agent = createAgent({ provider: mockModel([calls('a')]), tools: [a], hooks: [hook], store });
      expect(await codeOf(agent.send('Go', SESSION))).toBe('LOUSHO_HOOK_FAILED');
      expect(roles((await store.inner.load('order-7'))?.messages ?? [])).toBe('user assistant(a)');
    },
  );

  it('are not asked about a call that did not run', async () => {
    const seen: string[] = [];
    const look = { afterToolCall: ({ toolName }: { toolName: string }) => void seen.push(toolName) };
    await chargeWith([{ name: 'deny', beforeToolCall: () => ({ deny: 'no' }), ...look }]);
    await chargeWith([{ name: 'answer', beforeToolCall: () => ({ result: 1 }), ...look }]);
    expect(seen).toEqual([]);
  });

  it('see the error result of a tool that threw', async () => {
    const seen: unknown[] = [];
    const a = countingTool('a', () => {
      throw new Error('no');
    });
    const hook: AgentHook = { name: 'look', afterToolCall: ({ result }) => void seen.push(result.isError) };
    await createAgent({ provider: mockModel([calls('a'), 'ok']), tools: [a], hooks: [hook] }).send('Go');
    expect(seen).toEqual([true]);
  });

  it('that throw reject the run; the call has no result and runs again', async () => {
    const store = spyStore();
    const a = countingTool('a');
    let isDown = true;
    const hook: AgentHook = {
      name: 'audit',
      afterToolCall: () => {
        if (isDown) throw new Error('audit log down');
      },
    };
    const agent = createAgent({ provider: mockModel([calls('a'), 'ok']), tools: [a], hooks: [hook], store });
    expect(await codeOf(agent.send('Go', SESSION))).toBe('LOUSHO_HOOK_FAILED');
    isDown = false;
    await agent.resume('order-7');
    expect(a.started).toEqual(['a', 'a']);
  });
});

describe('hooks around a model call', () => {
  it('see each request and each response, in order', async () => {
    const seen: string[] = [];
    const hook = (name: string): AgentHook => ({
      name,
      beforeModelCall: ({ step, messages }) => void seen.push(`${name} before ${step} (${messages.length})`),
      afterModelCall: ({ text }) => void seen.push(`${name} after ${text}`),
    });
    await createAgent({
      provider: mockModel([calls('a'), 'ok']),
      tools: [countingTool('a')],
      hooks: [hook('x'), hook('y')],
    }).send('Go');
    expect(seen).toEqual([
      'x before 1 (1)',
      'y before 1 (1)',
      'x after ',
      'y after ',
      'x before 2 (3)',
      'y before 2 (3)',
      'x after ok',
      'y after ok',
    ]);
  });

  it.each(['beforeModelCall', 'afterModelCall'] as const)(
    '%s that throws rejects the run, nothing of the answer is kept',
    async (method) => {
      const store = spyStore();
      const hook: AgentHook = {
        name: 'strict',
        [method]: () => {
          throw new Error('no');
        },
      };
      const agent = createAgent({ provider: mockModel(['ok']), hooks: [hook], store });
      expect(await codeOf(agent.send('Go', SESSION))).toBe('LOUSHO_HOOK_FAILED');
      expect(roles((await store.inner.load('order-7'))?.messages ?? [])).toBe('user');
    },
  );
});
