import {
  type AgentContext,
  AgentExecutor,
  type CreateAgentOptions,
  createAgent,
  type Message,
  resumeAfterApproval,
  ToolRegistry,
} from '@lousho/core';
import { mockModel } from '@lousho/core/testing';
import { describe, expect, it, vi } from 'vitest';
import { calls, countingTool, type ScriptedModel, scriptedModel } from '../approval/support/workshop.js';
import { onFullStores } from '../harness/on-stores.js';
import { diesAtSave } from '../session/support/mortal-view.js';
import { codeOf, rejection } from '../support/rejections.js';

const PRO = { tier: 'pro' };
const tierOf = ({ metadata }: AgentContext) => String(metadata?.tier ?? 'free');

interface Dynamic {
  /** What each function was asked with, in order. */
  readonly asked: { readonly field: string; readonly context: AgentContext }[];
  readonly options: CreateAgentOptions;
  readonly provider: ScriptedModel;
}

/** An agent whose model, instructions and tools follow from the caller's tier. */
function dynamic(turns: Parameters<typeof scriptedModel>[0], effects: string[] = []): Dynamic {
  const asked: Dynamic['asked'] = [];
  const note = (field: string, context: AgentContext) => void asked.push({ field, context });
  const provider = scriptedModel(turns);
  return {
    asked,
    provider,
    options: {
      provider,
      ports: { logger: { warn: () => undefined } },
      model: (context) => {
        note('model', context);
        return `model-${tierOf(context)}`;
      },
      instructions: async (context) => {
        note('instructions', context);
        return `Serve a ${tierOf(context)} customer.`;
      },
      tools: async (context) => {
        note('tools', context);
        const names = tierOf(context) === 'pro' ? ['a', 'refund'] : ['a'];
        return names.map((name) => countingTool({ name, effects, needsApproval: name === 'refund' }));
      },
    },
  };
}

function told({ requests }: ScriptedModel) {
  return requests.map(({ model, messages, tools }) => ({
    model,
    system: messages[0]?.content,
    tools: tools.map(({ name }) => name),
  }));
}

const AS_PRO = { model: 'model-pro', system: 'Serve a pro customer.', tools: ['a', 'refund'] };
const AS_FREE = { model: 'model-free', system: 'Serve a free customer.', tools: ['a'] };

describe('a dynamic agent', () => {
  onFullStores((newStorage) => {
    it('3.13 is asked once per run, with the session id, the input and the metadata', async () => {
      const { options, asked, provider } = dynamic([calls('a'), 'one']);
      const agent = createAgent({ ...options, store: newStorage().open() });
      await agent.send('Go', { sessionId: 'run', metadata: PRO });
      const context = { sessionId: 'run', input: 'Go', metadata: PRO };
      expect(asked).toEqual(['model', 'instructions', 'tools'].map((field) => ({ field, context })));
      expect(told(provider)).toEqual([AS_PRO, AS_PRO]);
    });

    it('3.13 is asked anew for the next run of a session, whose instructions then hold', async () => {
      const { options, asked, provider } = dynamic(['one', 'two', 'three']);
      const store = newStorage().open();
      const agent = createAgent({ ...options, store });
      await agent.send('Go', { sessionId: 'run', metadata: PRO });
      const { messages } = await agent.send('More', { sessionId: 'run', metadata: { tier: 'free' } });
      await agent.send('And more', { sessionId: 'run' });
      expect(told(provider)).toEqual([AS_PRO, AS_FREE, AS_FREE]);
      expect(asked.filter(({ field }) => field === 'model').map(({ context }) => context.input)).toEqual([
        'Go',
        'More',
        'And more',
      ]);
      expect(messages.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'user', 'assistant']);
      const stored = await store.checkpoints.load('run');
      expect(stored?.messages[0]?.content).toBe('Serve a free customer.');
    });

    it('3.13 is asked once per turn of a session, by the id of the session', async () => {
      const { options, asked, provider } = dynamic([calls('a'), 'one', 'two']);
      const session = createAgent({ ...options, store: newStorage().open() }).session({ id: 'chat' });
      await session.send('Go', { metadata: PRO });
      await session.send('More');
      expect(told(provider)).toEqual([AS_PRO, AS_PRO, AS_FREE]);
      expect(asked.filter(({ field }) => field === 'tools').map(({ context }) => context)).toEqual([
        { sessionId: 'chat', input: 'Go', metadata: PRO },
        { sessionId: 'chat', input: 'More' },
      ]);
      expect((await session.messages()).map(({ role }) => role)).not.toContain('system');
    });

    it.each(['model', 'instructions', 'tools'] as const)(
      '3.13 %s that throws rejects before anything runs, what is stored as it was',
      async (field) => {
        const store = newStorage().open();
        const cause = new Error('config service down');
        const { options, provider } = dynamic(['one', 'two']);
        let isDown = true;
        const healthy = options[field] as (context: AgentContext) => never;
        const fragile = async (context: AgentContext) => {
          if (isDown) throw cause;
          return healthy(context);
        };
        const agent = createAgent({ ...options, [field]: fragile, store });
        const session = agent.session({ id: 'chat' });
        const expected = { code: 'LOUSHO_CONFIG_RESOLVER_FAILED', field, cause };
        expect(await rejection(agent.send('Go', { sessionId: 'run' }))).toMatchObject(expected);
        expect(await rejection(agent.send('Go'))).toMatchObject(expected);
        expect(await rejection(session.send('Go'))).toMatchObject(expected);
        expect(provider.requests).toEqual([]);
        expect(await store.checkpoints.list()).toEqual([]);
        expect(await session.messages()).toEqual([]);
        isDown = false;
        await agent.send('Go', { sessionId: 'run' });
        const before = await store.checkpoints.load('run');
        isDown = true;
        expect(await codeOf(agent.send('More', { sessionId: 'run' }))).toBe('LOUSHO_CONFIG_RESOLVER_FAILED');
        expect(await store.checkpoints.load('run')).toEqual(before);
      },
    );

    it('G8 a crashed run is resumed with its model and its context, although nobody passes the metadata', async () => {
      const { open } = newStorage();
      const turns = [calls('a'), 'one'] as const;
      const first = dynamic(turns);
      await createAgent({ ...first.options, store: diesAtSave(open(), 2) })
        .send('Go', { sessionId: 'run', metadata: PRO })
        .catch(() => undefined);
      const second = dynamic(turns);
      const warn = vi.fn();
      const agent = createAgent({
        ...second.options,
        model: () => expect.unreachable('the model was chosen before'),
        onAgentDrift: 'error',
        ports: { logger: { warn } },
        store: open(),
      });
      expect((await agent.resume('run'))?.text).toBe('one');
      expect(told(second.provider)).toEqual([AS_PRO]);
      const context = { sessionId: 'run', input: 'Go', metadata: PRO };
      expect(second.asked).toEqual(['instructions', 'tools'].map((field) => ({ field, context })));
      expect(warn).not.toHaveBeenCalled();
    });

    it('G8 also by a send() with other input and other metadata, and with a model of the provider', async () => {
      const { open } = newStorage();
      const first = dynamic([calls('a')]);
      const chooses = { provider: { ...first.provider, defaultModel: 'small' }, model: () => undefined };
      await createAgent({ ...first.options, ...chooses, store: diesAtSave(open(), 2) })
        .send('Go', { sessionId: 'run', metadata: PRO })
        .catch(() => undefined);
      const second = dynamic([calls('a'), 'one']);
      const provider = { ...second.provider, defaultModel: 'small' };
      const agent = createAgent({ ...second.options, provider, onAgentDrift: 'error', store: open() });
      await agent.send('More', { sessionId: 'run', metadata: { tier: 'free' } });
      expect(told(second.provider)).toEqual([{ ...AS_PRO, model: 'small' }]);
      expect(second.asked.map(({ context }) => context.input)).toEqual(['Go', 'Go']);
    });

    it('G8 a crashed turn of a session is resumed with its context too', async () => {
      const { open } = newStorage();
      const turns = ['one', calls('a'), 'two'] as const;
      const first = dynamic(turns);
      await createAgent({ ...first.options, store: open() })
        .session({ id: 'chat' })
        .send('Go');
      await createAgent({ ...first.options, store: diesAtSave(open(), 2) })
        .session({ id: 'chat' })
        .send('More', { metadata: PRO })
        .catch(() => undefined);
      const second = dynamic(turns);
      const agent = createAgent({ ...second.options, onAgentDrift: 'error', store: open() });
      expect((await agent.resume('chat'))?.text).toBe('two');
      expect(told(second.provider)).toEqual([AS_PRO]);
      expect(second.asked[0]?.context).toEqual({ sessionId: 'chat', input: 'More', metadata: PRO });
    });

    it('G8 a decision goes on with the same context, in another process', async () => {
      const { open } = newStorage();
      const turns = [calls('refund'), 'one'] as const;
      const first = createAgent({ ...dynamic(turns).options, store: open() });
      const { approvalId = '' } = await first.send('Go', { sessionId: 'run', metadata: PRO });
      const effects: string[] = [];
      const second = dynamic(turns, effects);
      const agent = createAgent({ ...second.options, onAgentDrift: 'error', store: open() });
      expect((await agent.approvals.resolve({ id: approvalId, approved: true })).text).toBe('one');
      expect(effects).toEqual(['refund']);
      expect(told(second.provider)).toEqual([AS_PRO]);
      expect(second.asked.map(({ field }) => field)).toEqual(['instructions', 'tools']);
    });

    it('a decision whose functions fail leaves the approval pending and the run as it was', async () => {
      const store = newStorage().open();
      const turns = [calls('refund'), 'one'] as const;
      const { options } = dynamic(turns);
      const { approvalId = '' } = await createAgent({ ...options, store }).send('Go', {
        sessionId: 'run',
        metadata: PRO,
      });
      const before = await store.checkpoints.load('run');
      const broken = createAgent({ ...options, tools: () => Promise.reject(new Error('down')), store });
      const decision = { id: approvalId, approved: true };
      expect(await codeOf(broken.approvals.resolve(decision))).toBe('LOUSHO_CONFIG_RESOLVER_FAILED');
      expect(await broken.approvals.list()).toHaveLength(1);
      expect(await store.checkpoints.load('run')).toEqual(before);
    });

    it('keeps its context and its model with the record, and the input only in the transcript', async () => {
      const store = newStorage().open();
      const { options } = dynamic([calls('a'), 'one']);
      const input = 'a long story '.repeat(1_000);
      await createAgent({ ...options, store }).send(input, { sessionId: 'run', metadata: PRO });
      for (const { checkpoint } of await store.checkpoints.history('run')) {
        const { messages: _, ...head } = checkpoint;
        expect(head.runConfig).toEqual({
          ctx: { sessionId: 'run', metadata: PRO },
          inputAs: 'text',
          model: 'model-pro',
        });
        expect(JSON.stringify(head)).not.toContain('a long story');
      }
    });

    it('drifts when its functions give something else for the same context', async () => {
      const { open } = newStorage();
      const { options } = dynamic([calls('a'), 'one']);
      await createAgent({ ...options, store: diesAtSave(open(), 2) })
        .send('Go', { sessionId: 'run', metadata: PRO })
        .catch(() => undefined);
      const strict = { ...options, onAgentDrift: 'error' as const, store: open() };
      const changed = createAgent({ ...strict, instructions: (context) => `Now: ${tierOf(context)}` });
      expect((await rejection(changed.resume('run'))).detail).toContain('instructions changed');
      const fixed = createAgent({ ...strict, model: 'model-fixed' });
      expect((await rejection(fixed.resume('run'))).detail).toContain('model-pro -> model-fixed');
      expect((await createAgent(strict).resume('run'))?.text).toBe('one');
    });

    it('a fork goes on with the context of its source', async () => {
      const { open } = newStorage();
      const { options, asked } = dynamic([calls('a'), 'one']);
      const agent = createAgent({ ...options, onAgentDrift: 'error', store: open() });
      await agent.send('Go', { sessionId: 'run', metadata: PRO });
      const { sessionId } = await agent.fork('run', { fromStep: 1 });
      asked.length = 0;
      expect((await agent.resume(sessionId))?.text).toBe('one');
      expect(asked[0]?.context).toEqual({ sessionId: 'run', input: 'Go', metadata: PRO });
    });

    it('is not asked where nothing runs: a finished run, an unknown id', async () => {
      const { options, asked } = dynamic(['one']);
      const agent = createAgent({ ...options, store: newStorage().open() });
      await agent.send('Go', { sessionId: 'run' });
      asked.length = 0;
      expect(await agent.resume('run')).toBeNull();
      expect((await agent.send([], { sessionId: 'run' })).text).toBe('one');
      expect((await agent.send('Go', { sessionId: 'run', ifAbsent: true })).text).toBe('one');
      expect(await agent.resume('unknown')).toBeNull();
      expect(asked).toEqual([]);
    });
  });

  const PARTS = [{ type: 'text' as const, text: 'Look' }];
  const MESSAGES: readonly Message[] = [
    { role: 'user', content: 'Hi' },
    { role: 'assistant', content: 'Hello' },
    { role: 'user', content: 'Go' },
  ];
  it.each([['Go'], [PARTS], [MESSAGES]])('3.13 is given the input in its shape: %j', async (input) => {
    const { options, asked } = dynamic([() => ({ text: 'one' }), () => ({ text: 'one' })]);
    await createAgent(options).send(input);
    expect(asked[0]?.context).toEqual({ input });
  });

  it('3.13 may give nothing: no tools, no instructions, the model of the provider', async () => {
    const provider = mockModel(['one'], { defaultModel: 'small' });
    const nothing = () => undefined;
    await createAgent({ provider, model: nothing, instructions: nothing, tools: nothing }).send('Go');
    expect(provider.lastCall).toMatchObject({ model: 'small', tools: [] });
    expect(provider.lastCall?.messages.map(({ role }) => role)).toEqual(['user']);
  });

  it.each([
    ['model', 7],
    ['instructions', { text: 'Be brief.' }],
    ['tools', {}],
    ['tools', [{ name: 'no tool' }]],
  ])('3.13 %s that gives %j is refused as one that throws', async (field, value) => {
    const provider = mockModel([]);
    const agent = createAgent({ provider, [field]: () => value });
    expect(await rejection(agent.send('Go'))).toMatchObject({
      code: 'LOUSHO_CONFIG_RESOLVER_FAILED',
      field,
      cause: { code: 'LOUSHO_CONFIG_INVALID' },
    });
  });

  it('3.13 two tools of one name are refused when they are given', async () => {
    const tool = countingTool({ name: 'ask_question', effects: [] });
    const agent = createAgent({ provider: mockModel([]), tools: () => [tool], askQuestion: true });
    expect(await rejection(agent.send('Go'))).toMatchObject({
      code: 'LOUSHO_CONFIG_RESOLVER_FAILED',
      cause: { code: 'LOUSHO_TOOL_DUPLICATE' },
    });
  });

  it('3.13 the executor asks as well, also when a decision goes on from a snapshot', async () => {
    const contexts: AgentContext[] = [];
    const effects: string[] = [];
    const agent = {
      name: 'clerk',
      prompt: (context: AgentContext) => {
        contexts.push(context);
        return `Serve a ${tierOf(context)} customer.`;
      },
      tools: () => [countingTool({ name: 'refund', effects, needsApproval: true })],
    };
    const { approvals } = (await import('@lousho/store-memory')).memoryStore();
    const provider = scriptedModel([calls('refund'), 'one']);
    const options = { agent, provider, input: 'Go', metadata: PRO, approvalStore: approvals };
    const { approvalId = '' } = await AgentExecutor.execute(options);
    const result = await resumeAfterApproval(
      { id: approvalId, approved: true },
      approvals,
      new ToolRegistry(),
      provider,
      { currentAgent: agent, onAgentDrift: 'error' },
    );
    expect(result.text).toBe('one');
    expect(effects).toEqual(['refund']);
    expect(contexts).toEqual([
      { input: 'Go', metadata: PRO },
      { input: 'Go', metadata: PRO },
    ]);
  });
});
