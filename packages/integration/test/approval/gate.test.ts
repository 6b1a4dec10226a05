import { type ApprovalNeed, createAgent, defineTool, type Tool, type ToolContext } from '@lousho/core';
import { memoryStore } from '@lousho/store-memory';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { codeOf, rejection } from '../support/rejections.js';
import { resultOf } from './support/results.js';
import { calls, countingTool, scriptedModel, workshop } from './support/workshop.js';

const SESSION = { sessionId: 'order-7' };

/** Sends one turn that calls `b`, whose need is given. */
async function ask(needsApproval: NonNullable<Tool['needsApproval']>) {
  const effects: string[] = [];
  const tools = [countingTool({ name: 'b', effects, needsApproval })];
  const { agent } = workshop({ store: memoryStore(), turns: [calls('b'), 'done'], tools, effects });
  const sent = agent.send('Go', SESSION);
  return { agent, effects, sent };
}

describe('whether a person is asked', () => {
  it.each<[string, ApprovalNeed]>([
    ['true', true],
    ["'ask'", 'ask'],
  ])('%s: a person is asked', async (_, need) => {
    for (const needsApproval of [need, () => need, async () => need]) {
      const { effects, sent, agent } = await ask(needsApproval);
      expect((await sent).finishReason).toBe('awaiting-approval');
      expect(effects).toEqual([]);
      expect(await agent.approvals.list()).toHaveLength(1);
    }
  });

  it.each<[string, ApprovalNeed]>([
    ['false', false],
    ["'approve'", 'approve'],
  ])('%s: nobody is asked, and the call runs', async (_, need) => {
    for (const needsApproval of [need, () => need, async () => need]) {
      const { effects, sent, agent } = await ask(needsApproval);
      expect((await sent).finishReason).toBe('stop');
      expect(effects).toEqual(['b']);
      expect(await agent.approvals.list()).toEqual([]);
    }
  });

  it.each<[string, ApprovalNeed, string]>([
    ["'deny'", 'deny', ''],
    ['{ deny: reason }', { deny: 'above the limit' }, 'above the limit'],
  ])('%s: no pause, the call does not run, and the model is told why', async (_, need, reason) => {
    for (const needsApproval of [need, () => need, async () => need]) {
      const { effects, sent, agent } = await ask(needsApproval);
      const { finishReason, messages } = await sent;
      expect(finishReason).toBe('stop');
      expect(effects).toEqual([]);
      const result = resultOf(messages, 'b') as { message: string; reason: string };
      expect(result).toMatchObject({ kind: 'denied', error: 'ToolDeniedError', isError: true });
      expect(result.reason).toContain(reason);
      expect(await agent.approvals.list()).toEqual([]);
    }
  });

  it.each([undefined, null, 'yes', 1, {}, { deny: 3 }, [], 'ASK'])(
    'a function that answers %j: the run rejects, the call does not run, nobody is asked',
    async (need) => {
      const { effects, sent, agent } = await ask(() => need as unknown as ApprovalNeed);
      expect(await codeOf(sent)).toBe('LOUSHO_CONFIG_INVALID');
      expect(effects).toEqual([]);
      expect(await agent.approvals.list()).toEqual([]);
      expect(await agent.pending()).toMatchObject([{ status: 'in-progress' }]);
    },
  );

  it.each([null, 'yes', 1, {}, { deny: 3 }, 'ASK'])('%j is refused when the tool is defined', (need) => {
    const definition = { name: 'b', description: 'b', input: z.object({}), execute: () => 1 };
    const wrong = { ...definition, needsApproval: need as unknown as ApprovalNeed };
    expect(() => defineTool(wrong)).toThrow(/needsApproval/);
  });

  it('a function that throws: the run rejects with its error as the cause, the call does not run', async () => {
    const fault = new Error('the policy service is down');
    const throwing = [
      () => {
        throw fault;
      },
      () => Promise.reject(fault),
    ];
    for (const needsApproval of throwing) {
      const { effects, sent } = await ask(needsApproval);
      expect(await rejection(sent)).toMatchObject({ code: 'LOUSHO_HOOK_FAILED', cause: fault });
      expect(effects).toEqual([]);
    }
  });

  it('decides by the validated arguments, after the hooks, and knows the call', async () => {
    const seen: { args: unknown; context: ToolContext }[] = [];
    const transfer = defineTool({
      name: 'transfer',
      description: 'transfer',
      input: z.object({ amount: z.coerce.number(), currency: z.string().default('EUR') }),
      needsApproval: (args, context) => {
        seen.push({ args, context });
        return args.amount > 100;
      },
      execute: () => 'sent',
    });
    const hooks = [{ name: 'cap', beforeToolCall: () => ({ input: { amount: '150' } }) }];
    const provider = scriptedModel([[{ id: 't', tool: 'transfer', args: { amount: '5' } }], 'done']);
    const agent = createAgent({ provider, tools: [transfer], hooks, store: memoryStore() });
    const paused = await agent.send('Go', { ...SESSION, principal: 'ana' });
    expect(paused.finishReason).toBe('awaiting-approval');
    expect(seen).toMatchObject([
      {
        args: { amount: 150, currency: 'EUR' },
        context: { toolName: 'transfer', toolCallId: 't', sessionId: 'order-7', principal: 'ana' },
      },
    ]);
    expect((await agent.approvals.list())[0]?.args).toEqual({ amount: 150, currency: 'EUR' });
  });

  it('is not asked about a call with invalid arguments, nor again about a decided one', async () => {
    let asked = 0;
    const effects: string[] = [];
    const needsApproval = () => {
      asked += 1;
      return true;
    };
    const tools = [countingTool({ name: 'b', effects, needsApproval })];
    const turns = [[{ id: 'b' }, { id: 'bad', tool: 'b', args: '{' }], 'done'];
    const { agent } = workshop({ store: memoryStore(), turns, tools, effects });
    const { approvalId = '' } = await agent.send('Go', SESSION);
    await agent.approvals.resolve({ id: approvalId, approved: true });
    expect(asked).toBe(1);
    expect(effects).toEqual(['b']);
  });

  it('without an approval store the run rejects before the call', async () => {
    const { checkpoints } = memoryStore();
    const { agent, effects } = workshop({ store: { checkpoints }, turns: [calls('b')], gated: ['b'] });
    expect(await codeOf(agent.send('Go', SESSION))).toBe('LOUSHO_APPROVAL_STORE_MISSING');
    expect(effects).toEqual([]);
    expect(await codeOf(agent.approvals.list())).toBe('LOUSHO_APPROVAL_STORE_MISSING');
  });

  it.each(['save', 'load', 'list', 'decide', 'delete'])(
    'an approval store without %s() is refused at once',
    (method) => {
      const complete = { save: 1, load: 1, list: 1, decide: 1, delete: 1 };
      const methods = Object.keys(complete).filter((name) => name !== method);
      const approvalStore = Object.fromEntries(methods.map((name) => [name, async () => null]));
      const options = { provider: scriptedModel([]), approvalStore: approvalStore as never };
      expect(() => createAgent(options)).toThrow(new RegExp(`approvals\\.${method}`));
    },
  );

  it.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY, '5'])('approvalTtlMs: %j is refused', async (ttl) => {
    const approvalTtlMs = ttl as number;
    expect(() => createAgent({ provider: scriptedModel([]), approvalTtlMs })).toThrow(/approvalTtlMs/);
    const { agent, model } = workshop({ store: memoryStore(), turns: ['done'] });
    expect(await codeOf(agent.send('Go', { approvalTtlMs }))).toBe('LOUSHO_CONFIG_INVALID');
    expect(model.requests).toEqual([]);
  });

  it.each([
    undefined,
    {},
    { id: 7, approved: true },
    { id: 'x', approved: 'yes' },
    { id: 'x' },
    { id: 'x', approved: true, note: 5 },
  ])('%j is no decision', async (decision) => {
    const { agent } = workshop({ store: memoryStore(), turns: [] });
    expect(await codeOf(agent.approvals.resolve(decision as never))).toBe('LOUSHO_CONFIG_INVALID');
    expect(await codeOf(agent.approvals.streamResolve(decision as never).result)).toBe(
      'LOUSHO_CONFIG_INVALID',
    );
  });

  it('two calls of one turn with one id are two approvals: each runs by its own decision', async () => {
    const { agent, effects } = workshop({
      store: memoryStore(),
      turns: [
        [
          { id: 'x', tool: 'b', args: { n: 1 } },
          { id: 'x', tool: 'b', args: { n: 2 } },
        ],
        'done',
      ],
      gated: ['b'],
    });
    const { approvalIds = [] } = await agent.send('Go', SESSION);
    expect(new Set(approvalIds).size).toBe(2);
    await agent.approvals.resolve({ id: approvalIds[0] as string, approved: false });
    const done = await agent.approvals.resolve({ id: approvalIds[1] as string, approved: true });
    expect(effects).toHaveLength(1);
    expect(done.toolCalls.map(({ args, isError }) => [args, isError ?? false])).toEqual([
      [{ n: 1 }, true],
      [{ n: 2 }, false],
    ]);
  });
});
