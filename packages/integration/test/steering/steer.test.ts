import type { AgentHook, AgentRun, LLMProvider, ModelStreamPart, SteeredInput } from '@lousho/core';
import { mockModel, transcriptFaults } from '@lousho/core/testing';
import { memoryStore } from '@lousho/store-memory';
import { describe, expect, it } from 'vitest';
import { resultOf } from '../approval/support/results.js';
import { calls as asked, responseOf, scriptedModel } from '../approval/support/workshop.js';
import { deferred, settled, until } from '../executor/support/deferred.js';
import { outline, roles, spyStore } from '../executor/support/spy-store.js';
import { calls } from '../executor/support/tools.js';
import { conversation, watch } from './support/conversation.js';

const SESSION = { sessionId: 'order-7' };
const NOT_RUN = { kind: 'not-run', error: 'ToolNotRunError', isError: true };

const withoutText = (told: readonly string[]) => told.filter((line) => !line.startsWith('text.'));

describe('a steer during a model call of which nothing was told', () => {
  it('I5 takes its place: 2 model calls, and the discarded text is in no checkpoint', async () => {
    const late = deferred<string>();
    const provider = mockModel([
      async () => late.promise,
      { text: 'Tea.', usage: { inputTokens: 9, outputTokens: 1 } },
    ]);
    const store = spyStore();
    const { agent } = conversation({ provider, store });
    const { run, told, done } = watch(agent.stream('Coffee', SESSION));
    await until(() => provider.calls.length === 1);
    const steer = run.steer('No, tea');
    expect(steer.applied).toBe('immediate');
    const result = await run.result;
    late.resolve('DISCARDED');
    await done;
    await settled();

    expect(await steer.joined).toBe(true);
    expect(provider.calls).toHaveLength(2);
    expect(provider.calls[0]?.signal?.aborted).toBe(true);
    expect(provider.lastCall?.messages.map(({ content }) => content)).toEqual(['Coffee', 'No, tea']);
    expect(result).toMatchObject({ text: 'Tea.', steps: 2, finishReason: 'stop' });
    expect(result.usage).toMatchObject({ inputTokens: 9, outputTokens: 1, modelCalls: 2 });
    expect(store.saves.map(outline)).toEqual([
      'in-progress | user user',
      'in-progress | user user',
      'finished | user user assistant',
    ]);
    expect(JSON.stringify(store.saves)).not.toContain('DISCARDED');
    expect(JSON.stringify(told)).not.toContain('DISCARDED');
    expect(withoutText(told)).toEqual([
      'run.start',
      'step.start 1',
      'input.steered immediate',
      'step.done 1 steered',
      'input.applied 2',
      'step.start 2',
      'step.done 2 stop',
      'run.done',
    ]);
  });

  it('I5 counts as a step, in the record too', async () => {
    const provider = mockModel([async () => new Promise(() => undefined), calls('a'), 'Tea.']);
    const store = spyStore();
    const { agent } = conversation({ provider, store, does: { a: () => 'a done' } });
    const { run } = watch(agent.stream('Coffee', SESSION));
    await until(() => provider.calls.length === 1);
    run.steer('No, tea');
    await run.result;
    expect(store.saves.map(({ checkpoint }) => checkpoint.stepIndex)).toEqual([1, 1, 2, 2, 3]);
  });

  it('is as good after a tool: the calls that were made stay', async () => {
    const provider = mockModel([calls('a'), async () => new Promise(() => undefined), 'Tea.']);
    const { agent, effects } = conversation({ provider, store: spyStore(), does: { a: () => 'a done' } });
    const { run } = watch(agent.stream('Coffee', SESSION));
    await until(() => provider.calls.length === 2);
    expect(run.steer('No, tea').applied).toBe('immediate');
    const { messages } = await run.result;
    expect(roles(messages)).toBe('user assistant(a) tool(a) user assistant');
    expect(effects).toEqual(['a']);
  });

  it('or has it with its calls not run, whichever turn of the microtask queue it comes in', async () => {
    const outcomes = new Set<unknown>();
    for (let ticks = 0; ticks < 30; ticks++) {
      let run: AgentRun | undefined;
      let steer: SteeredInput | undefined;
      const speak = async () => {
        for (let tick = 0; tick < ticks; tick++) await undefined;
        steer = run?.steer('No, tea');
      };
      const provider = scriptedModel([
        (request) => {
          if (request.messages.length > 1) return responseOf('Tea.');
          void speak();
          return responseOf(asked('a'));
        },
        'Tea.',
      ]);
      const store = spyStore();
      const { agent, effects } = conversation({ provider, store, does: { a: () => 'a done' } });
      run = agent.stream('Coffee', SESSION);
      const { messages } = await run.result;
      outcomes.add(steer?.applied);
      expect(await steer?.joined).toBe(true);
      expect(transcriptFaults(messages)).toEqual([]);
      const isDropped = steer?.applied === 'immediate';
      if (isDropped) expect(JSON.stringify(store.saves)).not.toContain('toolCalls');
      if (isDropped || resultOf(messages, 'a') !== 'a done') expect(effects).toEqual([]);
      expect(roles(messages)).toBe(
        isDropped ? 'user user assistant' : 'user assistant(a) tool(a) user assistant',
      );
    }
    expect(outcomes).toEqual(new Set(['immediate', 'queued']));
  });

  it('whose answer a hook is being shown keeps the answer, and its calls do not start', async () => {
    const gate = deferred<void>();
    let isShown = false;
    const hook: AgentHook = {
      name: 'slow',
      afterModelCall: async () => {
        isShown = true;
        await gate.promise;
      },
    };
    const provider = mockModel([calls('a'), 'Tea.']);
    const { agent, effects } = conversation({ provider, hooks: [hook], does: { a: () => 'a done' } });
    const { run } = watch(agent.stream('Coffee'));
    await until(() => isShown);
    expect(run.steer('No, tea').applied).toBe('queued');
    gate.resolve();
    const { messages } = await run.result;
    expect(effects).toEqual([]);
    expect(resultOf(messages, 'a')).toMatchObject(NOT_RUN);
    expect(roles(messages)).toBe('user assistant(a) tool(a) user assistant');
  });

  it('before the model was asked costs a step and no model call', async () => {
    const gate = deferred<void>();
    let isFirst = true;
    const hook: AgentHook = {
      name: 'slow',
      beforeModelCall: async () => {
        if (isFirst) await gate.promise;
        isFirst = false;
      },
    };
    const provider = mockModel(['Tea.']);
    const { agent } = conversation({ provider, hooks: [hook] });
    const { run, told, done } = watch(agent.stream('Coffee'));
    await until(() => told.includes('step.start 1'));
    expect(run.steer('No, tea').applied).toBe('immediate');
    gate.resolve();
    const { usage, steps } = await run.result;
    await done;
    expect([provider.calls.length, usage.modelCalls, steps]).toEqual([1, 1, 2]);
  });

  it('twice: the second one is queued beside the first, and both join', async () => {
    const provider = mockModel([async () => new Promise(() => undefined), 'Milk.']);
    const { agent } = conversation({ provider, store: spyStore() });
    const { run } = watch(agent.stream('Coffee', SESSION));
    await until(() => provider.calls.length === 1);
    const [first, second] = [run.steer('No, tea'), run.steer('No, milk')];
    expect([first.applied, second.applied]).toEqual(['immediate', 'queued']);
    const { messages, steps } = await run.result;
    expect(messages.map(({ content }) => content)).toEqual(['Coffee', 'No, tea', 'No, milk', 'Milk.']);
    expect(await Promise.all([first.joined, second.joined])).toEqual([true, true]);
    expect(steps).toBe(2);
  });

  it('with the last step does not take its place: there would be none left to answer it', async () => {
    const gate = deferred<string>();
    const provider = mockModel([async () => gate.promise]);
    const { agent } = conversation({ provider, maxSteps: 1 });
    const { run } = watch(agent.stream('Coffee'));
    await until(() => provider.calls.length === 1);
    const steer = run.steer('No, tea');
    gate.resolve('Coffee.');
    expect(steer.applied).toBe('queued');
    expect(await run.result).toMatchObject({ text: 'Coffee.', finishReason: 'stop', steps: 1 });
    expect(await steer.joined).toBe(false);
  });

  it('and then an abort: the run is aborted, the steer is not kept', async () => {
    const controller = new AbortController();
    const provider = mockModel([async () => new Promise(() => undefined)]);
    const store = spyStore();
    const { agent } = conversation({ provider, store });
    const { run } = watch(agent.stream('Coffee', { ...SESSION, signal: controller.signal }));
    await until(() => provider.calls.length === 1);
    const steer = run.steer('No, tea');
    controller.abort();
    expect((await run.result).finishReason).toBe('aborted');
    expect([steer.applied, await steer.joined]).toEqual(['immediate', false]);
    expect(roles((await store.inner.load('order-7'))?.messages ?? [])).toBe('user');
  });
});

describe('a steer during a model call that has said something', () => {
  /** Says a word, and the rest, with the calls, when the test lets it. */
  function slowSpeaker(rest: ReturnType<typeof deferred<void>>, ids: readonly string[]): LLMProvider {
    const provider = mockModel([{ text: 'Coffee it is.', ...(ids.length > 0 && calls(...ids)) }, 'Tea.']);
    return {
      ...provider,
      async *stream(request): AsyncIterable<ModelStreamPart> {
        let isFirst = true;
        for await (const part of provider.stream?.(request) ?? []) {
          yield part;
          if (isFirst && request.messages.length === 1) await rest.promise;
          isFirst = false;
        }
      },
    };
  }

  it('is queued: the reply is finished, and one more step answers', async () => {
    const rest = deferred<void>();
    const { agent } = conversation({ provider: slowSpeaker(rest, []), store: spyStore() });
    const { run, told, done } = watch(agent.stream('Coffee', SESSION));
    await until(() => told.includes('text.delta'));
    const steer = run.steer('No, tea');
    rest.resolve();
    const { messages } = await run.result;
    await done;
    expect([steer.applied, await steer.joined]).toEqual(['queued', true]);
    expect(messages.map(({ content }) => content)).toEqual(['Coffee', 'Coffee it is.', 'No, tea', 'Tea.']);
    expect(withoutText(told)).toContain('input.steered queued');
  });

  it('keeps the calls from starting that it goes on to ask for', async () => {
    const rest = deferred<void>();
    const provider = slowSpeaker(rest, ['a', 'b']);
    const store = spyStore();
    const does = { a: () => 'a done', b: () => 'b done' };
    const { agent, effects } = conversation({ provider, store, does });
    const { run, told, done } = watch(agent.stream('Coffee', SESSION));
    await until(() => told.includes('text.delta'));
    run.steer('No, tea');
    rest.resolve();
    const { messages } = await run.result;
    await done;
    expect(effects).toEqual([]);
    expect(roles(messages)).toBe('user assistant(a,b) tool(a) tool(b) user assistant');
    for (const id of ['a', 'b']) expect(resultOf(messages, id)).toMatchObject(NOT_RUN);
    // With the turn itself, so that no crash comes in between.
    expect(store.saves.map(outline)[1]).toBe('in-progress | user assistant(a,b) tool(a) tool(b) user');
    expect(told.filter((line) => line.startsWith('tool.'))).toEqual(['tool.error a', 'tool.error b']);
  });
});

describe('a steer during tool calls', () => {
  it('I6 at concurrency 1: the running call keeps its result, the other one gets not-run, then comes the input', async () => {
    const gate = deferred<string>();
    const provider = mockModel([calls('a', 'b'), 'Tea.']);
    const store = spyStore();
    const does = { a: () => gate.promise, b: () => 'b done' };
    const { agent, effects } = conversation({ provider, store, does, toolConcurrency: 1 });
    const { run, told, done } = watch(agent.stream('Coffee', SESSION));
    await until(() => effects.length === 1);
    const steer = run.steer('No, tea');
    expect(steer.applied).toBe('queued');
    await until(() => told.includes('input.steered queued'));
    gate.resolve('a done');
    const { messages, toolCalls } = await run.result;
    await done;
    expect(await steer.joined).toBe(true);
    expect(effects).toEqual(['a']);
    expect(roles(provider.lastCall?.messages ?? [])).toBe('user assistant(a,b) tool(a) tool(b) user');
    expect(resultOf(messages, 'a')).toBe('a done');
    expect(resultOf(messages, 'b')).toMatchObject(NOT_RUN);
    expect(toolCalls.map(({ id, isError }) => [id, isError ?? false])).toEqual([
      ['a', false],
      ['b', true],
    ]);
    // One save has both: nobody who resumes finds the input and an open call that it was to stop.
    expect(store.saves.map(outline)).toEqual([
      'in-progress | user assistant(a,b)',
      'in-progress | user assistant(a,b) user | apart:b',
      'in-progress | user assistant(a,b) tool(a) tool(b) user',
      'in-progress | user assistant(a,b) tool(a) tool(b) user',
      'finished | user assistant(a,b) tool(a) tool(b) user assistant',
    ]);
    expect(withoutText(told)).toEqual([
      'run.start',
      'step.start 1',
      'tool.start a',
      'input.steered queued',
      'tool.error b',
      'tool.done a',
      'step.done 1 tool_calls',
      'input.applied 2',
      'step.start 2',
      'step.done 2 stop',
      'run.done',
    ]);
  });

  it('all of which run: all are waited for, as with input that is enqueued', async () => {
    const gate = deferred<string>();
    const provider = mockModel([calls('a', 'b'), 'Tea.']);
    const does = { a: () => gate.promise, b: () => 'b done' };
    const { agent, effects } = conversation({ provider, does });
    const { run } = watch(agent.stream('Coffee'));
    await until(() => effects.length === 2);
    run.steer('No, tea');
    gate.resolve('a done');
    const { messages } = await run.result;
    expect([resultOf(messages, 'a'), resultOf(messages, 'b')]).toEqual(['a done', 'b done']);
  });

  it('twice gives each call its one result, and tells of it once', async () => {
    const gate = deferred<string>();
    const provider = mockModel([calls('a', 'b', 'c'), 'Milk.']);
    const does = { a: () => gate.promise, b: () => 'b done', c: () => 'c done' };
    const { agent, effects } = conversation({ provider, store: spyStore(), does, toolConcurrency: 1 });
    const { run, told, done } = watch(agent.stream('Coffee', SESSION));
    await until(() => effects.length === 1);
    for (const input of ['No, tea', 'No, milk']) run.steer(input);
    gate.resolve('a done');
    const { messages } = await run.result;
    await done;
    expect(transcriptFaults(messages)).toEqual([]);
    expect(roles(messages)).toBe('user assistant(a,b,c) tool(a) tool(b) tool(c) user user assistant');
    expect(told.filter((line) => line.startsWith('tool.error'))).toEqual(['tool.error b', 'tool.error c']);
  });

  it.each([
    ['would have let it run', undefined, []],
    ['would have refused it', { deny: 'no' }, []],
    ['would have answered it', { result: 'from the hook' }, []],
    ['would have let it ask a person', undefined, ['a']],
  ])(
    'while a call is looked at that %s: it gets its one result, and nothing else',
    async (_, outcome, gated) => {
      const gate = deferred<void>();
      let isAsked = false;
      const hook: AgentHook = {
        name: 'slow',
        beforeToolCall: async () => {
          isAsked = true;
          await gate.promise;
          return outcome;
        },
      };
      const provider = mockModel([calls('a'), 'Tea.']);
      const store = memoryStore();
      const does = { a: () => 'a done' };
      const { agent, effects } = conversation({ provider, store, hooks: [hook], does, gated });
      const { run, told, done } = watch(agent.stream('Coffee', SESSION));
      await until(() => isAsked);
      run.steer('No, tea');
      gate.resolve();
      const { messages, finishReason } = await run.result;
      await done;
      expect(finishReason).toBe('stop');
      expect(effects).toEqual([]);
      expect(await store.approvals.list()).toEqual([]);
      expect(told.filter((line) => line.startsWith('tool.'))).toEqual(['tool.error a']);
      expect(resultOf(messages, 'a')).toMatchObject(NOT_RUN);
      expect(transcriptFaults(messages)).toEqual([]);
    },
  );

  it('of which one is about to ask a person: the run pauses as it would, and the steer is not kept', async () => {
    const gate = deferred<string>();
    const provider = mockModel([calls('b', 'a', 'c'), 'Coffee.']);
    const store = memoryStore();
    const does = { a: () => gate.promise, b: () => 'b done', c: () => 'c done' };
    const { agent, effects } = conversation({ provider, store, does, gated: ['b'], toolConcurrency: 1 });
    const { run } = watch(agent.stream('Coffee', SESSION));
    await until(() => effects.length === 1);
    const steer = run.steer('No, tea');
    gate.resolve('a done');
    const paused = await run.result;
    expect(paused.finishReason).toBe('awaiting-approval');
    expect([steer.applied, await steer.joined]).toEqual(['queued', false]);
    const record = await store.approvals.load(paused.approvalId ?? '');
    // The call that the steer kept from starting takes its turn after the decision.
    expect(record?.snapshot.remainingToolCalls?.map(({ id }) => id)).toEqual(['c']);
    const { messages } = await agent.approvals.resolve({ id: paused.approvalId ?? '', approved: true });
    expect(effects).toEqual(['a', 'b', 'c']);
    expect(roles(messages)).toBe('user assistant(b,a,c) tool(b) tool(a) tool(c) assistant');
  });

  it('B5 a gated call that a steer kept from starting pauses the run again, with 0 model calls', async () => {
    const gate = deferred<string>();
    const provider = mockModel([calls('b', 'a', 'c'), 'Coffee.']);
    const store = memoryStore();
    const does = { a: () => gate.promise, b: () => 'b done', c: () => 'c done' };
    const { agent, effects } = conversation({ provider, store, does, gated: ['b', 'c'], toolConcurrency: 1 });
    const { run } = watch(agent.stream('Coffee', SESSION));
    await until(() => effects.length === 1);
    run.steer('No, tea');
    gate.resolve('a done');
    const { approvalId: first = '', approvalIds } = await run.result;
    expect(approvalIds).toHaveLength(1);
    const again = await agent.approvals.resolve({ id: first, approved: true });
    expect(again.finishReason).toBe('awaiting-approval');
    expect(again.approvalId).not.toBe(first);
    expect(provider.calls).toHaveLength(1);
    const last = await agent.approvals.resolve({ id: again.approvalId ?? '', approved: true });
    expect(last).toMatchObject({ finishReason: 'stop', text: 'Coffee.' });
    expect(effects).toEqual(['a', 'b', 'c']);
    expect(transcriptFaults(last.messages)).toEqual([]);
  });

  it('before a gated call was looked at: nobody is asked', async () => {
    const gate = deferred<string>();
    const provider = mockModel([calls('a', 'b'), 'Tea.']);
    const store = memoryStore();
    const does = { a: () => gate.promise, b: () => 'b done' };
    const { agent, effects } = conversation({ provider, store, does, gated: ['b'], toolConcurrency: 1 });
    const { run } = watch(agent.stream('Coffee', SESSION));
    await until(() => effects.length === 1);
    run.steer('No, tea');
    gate.resolve('a done');
    expect(await run.result).toMatchObject({ finishReason: 'stop', text: 'Tea.' });
    expect(await store.approvals.list()).toEqual([]);
  });

  it('of an earlier process that nobody has started again: they are not said to have had no effect', async () => {
    const store = memoryStore();
    await store.checkpoints.save('order-7', {
      sessionId: 'order-7',
      stepIndex: 1,
      status: 'in-progress',
      startedToolCallIds: ['once'],
      messages: [
        { role: 'user', content: 'Coffee' },
        {
          role: 'assistant',
          content: '',
          toolCalls: ['a', 'once'].map((id) => ({
            id,
            type: 'function',
            function: { name: id, arguments: '{}' },
          })),
        },
      ],
    });
    const provider = mockModel(['Tea.']);
    const does = { a: () => 'a done', once: () => 'done' };
    const { agent, effects } = conversation({ provider, store, does });
    const { run } = watch(agent.stream([], SESSION));
    const steer = run.steer('No, tea');
    const { messages } = await run.result;
    expect([steer.applied, await steer.joined]).toEqual(['queued', true]);
    expect(effects).toEqual([]);
    expect(roles(messages)).toBe('user assistant(a,once) tool(a) tool(once) user assistant');
    expect(resultOf(messages, 'a')).toMatchObject({
      kind: 'not-run',
      message: expect.stringMatching(/may or may not/),
    });
    expect(resultOf(messages, 'once')).toMatchObject({ kind: 'interrupted' });
  });
});
