import { createAgent, type RunEvent, type ToolContext } from '@lousho/core';
import { mockModel } from '@lousho/core/testing';
import { memoryStore } from '@lousho/store-memory';
import { describe, expect, it } from 'vitest';
import { mortal } from '../approval/support/mortal.js';
import { resultOf } from '../approval/support/results.js';
import { calls, countingTool, scriptedModel } from '../approval/support/workshop.js';
import { deferred } from '../executor/support/deferred.js';
import { codeOf } from '../support/rejections.js';
import { type Member, task, team, usageOf } from './support/team.js';

const RESEARCH: Member = { turns: [calls('look'), 'It is blue.'], open: ['look'] };

describe('a lead that gives a task to a sub-agent', () => {
  it('gets its answer as the result of the call, with steps, finish reason and taskId', async () => {
    const { lead, effects, models } = team({
      turns: [[task('t1', 'research')], 'Found it.'],
      members: { research: RESEARCH },
    });
    const result = await lead.send('What colour?');
    expect(result.text).toBe('Found it.');
    expect(resultOf(result.messages, 't1')).toBe(
      'It is blue.\n\n[steps: 2, finish reason: stop, taskId: task-1-0]',
    );
    expect(effects).toEqual(['look']);
    expect(models.research?.requests[0]?.messages).toEqual([{ role: 'user', content: 'Do research' }]);
    expect(result.usage).toEqual(usageOf(4, { runs: 1, modelCalls: 2 }));
    expect(result.steps).toBe(2);
  });

  it('keeps what the sub-agent spends on its own record while it works, and only then', async () => {
    const store = memoryStore();
    const seen: unknown[] = [];
    const look = async () => {
      const stored = await store.checkpoints.load('s');
      seen.push(stored?.delegatedInFlight, stored?.usage);
    };
    const { lead } = team({
      store,
      turns: [[task('t1', 'research')], 'Found it.'],
      members: { research: { ...RESEARCH, does: { look } } },
    });
    await lead.send('What colour?', { sessionId: 's' });
    expect(seen).toEqual([{ 'task-1-0': { runId: expect.any(String), usage: usageOf(1) } }, usageOf(1)]);
    const stored = await store.checkpoints.load('s');
    expect(stored?.delegatedInFlight).toBeUndefined();
    expect(stored?.usage).toEqual(usageOf(4, { runs: 1, modelCalls: 2 }));
    expect((await store.checkpoints.list?.())?.map(({ sessionId }) => sessionId)).toEqual(['s']);
  });

  it('J1 and dies in the middle of it runs the task again; the interrupted calls are one more delegated run', async () => {
    const store = memoryStore();
    const life = mortal(store);
    const options = { turns: [[task('t1', 'research')], 'Found it.'] };
    const dying = team({
      ...options,
      store: life.store,
      members: { research: { ...RESEARCH, does: { look: () => life.kill() } } },
    });
    await expect(dying.lead.send('What colour?', { sessionId: 's' })).rejects.toThrow();
    const { lead, effects, models } = team({ ...options, store, members: { research: RESEARCH } });
    const result = await lead.resume('s');
    expect([result?.text, effects]).toEqual(['Found it.', ['look']]);
    expect(models.research?.requests[0]?.messages).toHaveLength(1);
    expect(result?.usage).toEqual(usageOf(5, { runs: 2, modelCalls: 3 }));
  });

  it('A16 several at once: each is kept apart, and the results are in call order', async () => {
    const { lead } = team({
      turns: [[task('t1', 'slow'), task('t2', 'fast')], 'Done.'],
      members: {
        slow: { turns: [calls('look'), calls('look'), 'Slow.'], open: ['look'] },
        fast: { turns: ['Fast.'] },
      },
    });
    const { messages, usage } = await lead.send('Go');
    expect(messages.map(({ role, toolCallId }) => toolCallId ?? role)).toEqual([
      'user',
      'assistant',
      't1',
      't2',
      'assistant',
    ]);
    expect(resultOf(messages, 't2')).toMatch(/^Fast\..*taskId: task-1-1\]$/s);
    expect(usage).toEqual(usageOf(6, { runs: 2, modelCalls: 4 }));
  });

  it('hears of a step limit by the finish reason', async () => {
    const { lead } = team({
      turns: [[task('t1', 'research')], 'Done.'],
      members: { research: { ...RESEARCH, maxSteps: 1 } },
    });
    const { messages } = await lead.send('Go');
    expect(resultOf(messages, 't1')).toBe('\n\n[steps: 1, finish reason: max-steps, taskId: task-1-0]');
  });

  it.each([
    ['another agent', { agent: 'nobody' }, 'agent: Expected one of research'],
    ['no prompt', { prompt: '' }, 'prompt: Expected a text'],
    ['a mode without its task', { mode: 'resume' }, 'taskId: Expected the task to resume'],
  ])('is told what is wrong with %s', async (_, wrong, message) => {
    const { lead } = team({
      turns: [[task('t1', 'research', wrong)], 'Done.'],
      members: { research: RESEARCH },
    });
    const { messages } = await lead.send('Go');
    expect(resultOf(messages, 't1')).toMatchObject({
      kind: 'validation',
      message: `invalid arguments: ${message}`,
    });
  });

  it('is told of a failed model call of the sub-agent, and what was spent before is counted', async () => {
    const { lead } = team({
      turns: [[task('t1', 'research')], 'Done.'],
      members: { research: { ...RESEARCH, turns: [calls('look'), new Error('overloaded')] } },
    });
    const { messages, usage } = await lead.send('Go');
    expect(resultOf(messages, 't1')).toMatchObject({
      isError: true,
      kind: 'execution',
      message: 'provider scripted: overloaded',
    });
    expect(usage).toEqual(usageOf(3, { runs: 1, modelCalls: 1 }));
  });
});

describe('a sub-agent', () => {
  it('has the lead’s signal: an abort ends both, and the call is cancelled', async () => {
    const begun = deferred();
    const controller = new AbortController();
    const look = (_: unknown, { signal }: ToolContext) => {
      begun.resolve();
      return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    };
    const { lead, models } = team({
      turns: [[task('t1', 'research')], 'Done.'],
      members: { research: { ...RESEARCH, does: { look } } },
    });
    const sent = lead.send('Go', { signal: controller.signal });
    await begun.promise;
    controller.abort();
    const result = await sent;
    expect(result.finishReason).toBe('aborted');
    expect(resultOf(result.messages, 't1')).toMatchObject({ kind: 'not-run', isError: true });
    expect(result.usage).toEqual(usageOf(2, { runs: 1, modelCalls: 1 }));
    expect(models.research?.requests).toHaveLength(1);
  });

  it('has the lead’s hooks in front of its own, principal, metadata and concurrency, and no session', async () => {
    const seen: string[] = [];
    const contexts: ToolContext[] = [];
    const hook = (name: string) => ({
      name,
      beforeToolCall: ({ toolName }: { toolName: string }) => void seen.push(`${name}:${toolName}`),
    });
    let [running, most] = [0, 0];
    const look = async (_: unknown, context: ToolContext) => {
      contexts.push(context);
      most = Math.max(most, ++running);
      await new Promise((resolve) => setImmediate(resolve));
      running--;
    };
    const { lead } = team({
      store: memoryStore(),
      hooks: [hook('lead')],
      toolConcurrency: 1,
      turns: [[task('t1', 'research')], 'Done.'],
      members: {
        research: {
          turns: [
            [
              { id: 'a', tool: 'look' },
              { id: 'b', tool: 'look' },
            ],
            'Seen.',
          ],
          open: ['look'],
          does: { look },
          hooks: [hook('own')],
        },
      },
    });
    const metadata = { tenant: 'acme' };
    await lead.send('Go', { sessionId: 's', principal: 'ana', metadata });
    expect(seen).toEqual(['lead:task', 'lead:look', 'own:look', 'lead:look', 'own:look']);
    expect(most).toBe(1);
    const [context] = contexts;
    expect(context).toMatchObject({ principal: 'ana', metadata, fencingToken: expect.any(Number) });
    expect(context?.sessionId).toBeUndefined();
  });

  it('is heard by the lead’s listeners, tagged; beginning and end are those of the call', async () => {
    const { lead } = team({
      turns: [[task('t1', 'research')], 'Found it.'],
      members: { research: RESEARCH },
    });
    const events: RunEvent[] = [];
    for await (const event of lead.stream('Go')) events.push(event);
    const told = events.map(({ type, subagent }) => (subagent ? `${subagent.path.join('>')} ${type}` : type));
    expect(told).toEqual([
      'run.start',
      'step.start',
      'tool.start',
      'research step.start',
      'research tool.start',
      'research tool.done',
      'research step.done',
      'research step.start',
      'research text.delta',
      'research text.done',
      'research step.done',
      'tool.done',
      'step.done',
      'step.start',
      'text.delta',
      'text.done',
      'step.done',
      'run.done',
    ]);
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index));
    expect(events.every((event) => !event.subagent || event.subagent.taskId === 'task-1-0')).toBe(true);
    expect(JSON.parse(JSON.stringify(events))).toEqual(events);
  });

  it.each([false, true])(
    'D9 (durable: %s) starts nothing more when its lead has lost its lease',
    async (durable) => {
      const store = memoryStore();
      const look = async () => {
        const holder = await store.checkpoints.readLease?.('s');
        await store.checkpoints.releaseLease?.('s', holder?.owner ?? '');
        await store.checkpoints.acquireLease?.('s', 'thief', 30_000);
      };
      const { lead, models } = team({
        store,
        turns: [[task('t1', 'research')], 'Done.'],
        members: { research: { ...RESEARCH, durable, does: { look } } },
      });
      expect(await codeOf(lead.send('Go', { sessionId: 's' }))).toBe('LOUSHO_SESSION_BUSY');
      expect([models.research?.requests.length, models.lead?.requests.length]).toEqual([1, 1]);
      expect(await store.checkpoints.readLease?.('s.task-1-0')).toBeNull();
    },
  );

  it('a hook that throws in it rejects the lead', async () => {
    const hook = {
      name: 'guard',
      beforeToolCall: ({ toolName }: { toolName: string }) => {
        if (toolName === 'look') throw new Error('no');
      },
    };
    const { lead } = team({
      hooks: [hook],
      turns: [[task('t1', 'research')], 'Done.'],
      members: { research: RESEARCH },
    });
    expect(await codeOf(lead.send('Go'))).toBe('LOUSHO_HOOK_FAILED');
  });

  it('has sub-agents of its own only where maxSubagentDepth allows it', async () => {
    const chief = { turns: ['Chief.'], members: { research: RESEARCH } };
    for (const maxSubagentDepth of [undefined, 2]) {
      const { lead, models } = team({
        turns: [[task('t1', 'chief')], 'Done.'],
        members: { chief },
        ...(maxSubagentDepth && { maxSubagentDepth }),
      });
      await lead.send('Go');
      const tools = models.chief?.requests[0]?.tools.map(({ name }) => name);
      expect(tools).toEqual(maxSubagentDepth ? ['task', 'agent_status', 'agent_await', 'agent_cancel'] : []);
    }
  });

  it.each([false, true])(
    'J4 (durable: %s) may hand its run over, and what it hands it to may ask a person',
    async (durable) => {
      const store = memoryStore();
      const effects: string[] = [];
      const start = () => {
        const usage = { inputTokens: 1, outputTokens: 1 };
        const clerk = createAgent({
          name: 'clerk',
          provider: scriptedModel([[], calls('pay'), 'Paid.'], [usage, usage, usage]),
          tools: [countingTool({ name: 'pay', effects, needsApproval: true })],
        });
        const desk = createAgent({
          name: 'desk',
          provider: scriptedModel([[{ id: 'h', tool: 'transfer_to_clerk' }]], [usage]),
          handoffs: [clerk],
        });
        return createAgent({
          provider: scriptedModel([[task('t1', 'desk')], 'Done.'], [usage, usage]),
          store,
          subagents: [{ name: 'desk', description: 'pays', agent: desk, durable }],
        });
      };
      const paused = await start().send('Pay', { sessionId: 's' });
      expect((await start().approvals.list())[0]).toMatchObject({ toolName: 'pay', subagentPath: ['desk'] });
      const result = await start().approvals.resolve({ id: paused.approvalId ?? '', approved: true });
      expect([result.text, effects]).toEqual(['Done.', ['pay']]);
      expect(result.usage).toMatchObject({ modelCalls: 5, delegated: { runs: 1, modelCalls: 3 } });
    },
  );

  it('of a session’s turn works like one of a run', async () => {
    const { lead } = team({
      store: memoryStore(),
      turns: [[task('t1', 'research')], 'Found it.', [task('t2', 'research')], 'Again.'],
      members: { research: { ...RESEARCH, durable: true } },
    });
    const session = lead.session({ id: 'chat' });
    await session.send('What colour?');
    const { messages } = await session.send('And now?');
    expect(resultOf(messages, 't2')).toMatch(/^It is blue\..*taskId: task-5-0\]$/s);
  });
});

describe('a task that goes on from an earlier one', () => {
  const two = (second: object) => ({
    turns: [[task('t1', 'research')], [task('t2', 'research', { prompt: 'And why?', ...second })], 'Done.'],
    members: { research: { turns: ['It is blue.', 'Because.'] } },
  });

  it('resume: has its conversation, and its name', async () => {
    const { lead, models } = team(two({ mode: 'resume', taskId: 'task-1-0' }));
    const { messages } = await lead.send('Go');
    expect(resultOf(messages, 't2')).toBe('Because.\n\n[steps: 1, finish reason: stop, taskId: task-1-0]');
    expect(models.research?.requests[1]?.messages.map(({ content }) => content)).toEqual([
      'Do research',
      'It is blue.',
      'And why?',
    ]);
  });

  it('fork: has its conversation, under a name of its own', async () => {
    const { lead } = team(two({ mode: 'fork', taskId: 'task-1-0' }));
    const { messages } = await lead.send('Go');
    expect(resultOf(messages, 't2')).toBe('Because.\n\n[steps: 1, finish reason: stop, taskId: task-3-0]');
  });

  it('is told LOUSHO_SUBAGENT_TASK_NOT_FOUND’s text for a task that is not known', async () => {
    const { lead } = team(two({ mode: 'resume', taskId: '../task' }));
    const { messages } = await lead.send('Go');
    expect(resultOf(messages, 't2')).toMatchObject({
      isError: true,
      message: 'there is no task ../task to go on from',
    });
  });

  it('finds it in another process where subagentOptions.sessions keeps it', async () => {
    const store = memoryStore();
    const options = { ...two({ mode: 'resume', taskId: 'task-1-0' }), store };
    for (const sessions of [undefined, store.sessions]) {
      const sessionId = sessions ? 'kept' : 'lost';
      const life = mortal(store);
      const more = sessions ? { subagentOptions: { sessions } } : {};
      let asked = 0;
      const beforeModelCall = () => void (++asked === 3 && life.kill());
      const hooks = [{ name: 'death', beforeModelCall }];
      await team({ ...options, ...more, hooks, store: life.store })
        .lead.send('Go', { sessionId })
        .catch(() => undefined);
      const result = await team({ ...options, ...more }).lead.resume(sessionId);
      const answer = resultOf(result?.messages ?? [], 't2');
      if (sessions) expect(answer).toMatch(/^Because\./);
      else expect(answer).toMatchObject({ isError: true });
    }
  });
});

describe('createAgent() refuses', () => {
  const agent = createAgent({ provider: mockModel([]), name: 'a' });
  const one = { name: 'a', description: 'does a', agent };

  it.each([
    ['subagents that are no array', { subagents: {} as never }],
    ['an agent that is none', { subagents: [{ ...one, agent: {} as never }] }],
    ['a copy of an agent', { subagents: [{ ...one, agent: { ...agent } }] }],
    ['a wrong name', { subagents: [{ ...one, name: 'a b' }] }],
    ['two of one name', { subagents: [one, one] }],
    ['no description', { subagents: [{ ...one, description: undefined as never }] }],
    ['a durable that is no boolean', { subagents: [{ ...one, durable: 1 as never }] }],
    ['maxConcurrent 0', { subagents: [one], subagentOptions: { maxConcurrent: 0 } }],
    ['an unknown option', { subagents: [one], subagentOptions: { maxConcurent: 1 } as never }],
    ['maxSubagentDepth 0', { subagents: [one], maxSubagentDepth: 0 }],
  ])('%s with LOUSHO_CONFIG_INVALID', async (_, options) => {
    expect(await codeOf((async () => createAgent({ provider: mockModel([]), ...options }))())).toBe(
      'LOUSHO_CONFIG_INVALID',
    );
  });

  it('a tool called task beside sub-agents', async () => {
    const { lead } = team({ turns: ['Done.'], open: ['task'], members: { research: RESEARCH } });
    expect(await codeOf(lead.send('Go'))).toBe('LOUSHO_TOOL_DUPLICATE');
  });
});
