import { type Checkpoint, createAgent, PropagatingToolError, SDKError } from '@lousho/core';
import { mockModel, transcriptFaults } from '@lousho/core/testing';
import { describe, expect, it } from 'vitest';
import { codeOf, rejection } from '../support/rejections.js';
import { deferred, settled, until } from './support/deferred.js';
import { outline, roles, spyStore } from './support/spy-store.js';
import { calls, countingTool, tool } from './support/tools.js';

const SESSION = { sessionId: 'order-7' };

describe('what is saved, and when', () => {
  it('a reply without tool calls is one save, finished', async () => {
    const store = spyStore();
    await createAgent({ provider: mockModel(['Hello.']), store, instructions: 'Be short.' }).send(
      'Hi',
      SESSION,
    );
    expect(store.saves.map(outline)).toEqual(['finished | system user assistant']);
  });

  it('a turn with two calls and a final text is saved four times: turn, first result, both results, finished', async () => {
    const store = spyStore();
    const agent = createAgent({
      provider: mockModel([calls('a', 'b'), 'Done.']),
      tools: [tool('a'), tool('b')],
      toolConcurrency: 1,
      store,
    });
    await agent.send('Go', SESSION);
    expect(store.saves.map(outline)).toEqual([
      'in-progress | user assistant(a,b)',
      'in-progress | user assistant(a,b) tool(a)',
      'in-progress | user assistant(a,b) tool(a) tool(b)',
      'finished | user assistant(a,b) tool(a) tool(b) assistant',
    ]);
    expect(store.saves.map((save) => save.checkpoint.revision)).toEqual([1, 2, 3, 4]);
    expect(store.saves.map((save) => save.checkpoint.stepIndex)).toEqual([1, 1, 1, 2]);
    expect(store.saves.every((save) => save.isFenced)).toBe(true);
  });

  it('each save vouches for exactly the messages that were saved before', async () => {
    const store = spyStore();
    const agent = createAgent({
      provider: mockModel([calls('a'), calls('a'), 'Done.', calls('a'), 'Again.']),
      tools: [tool('a')],
      store,
    });
    await agent.send('Go', SESSION);
    await agent.send('And again', SESSION);
    const before = [0, ...store.saves.map((save) => save.checkpoint.messages.length)].slice(0, -1);
    expect(store.saves.map((save) => save.options?.unchangedMessages)).toEqual(before);
    expect(store.saves.map((save) => save.checkpoint.revision)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  });

  it('A1 inside a tool the stored run is in progress and ends with the turn that made the call', async () => {
    const store = spyStore();
    let seen: unknown;
    const look = tool('look', async () => {
      const stored = await store.inner.load('order-7');
      seen = { status: stored?.status, roles: roles(stored?.messages ?? []), step: stored?.stepIndex };
    });
    await createAgent({ provider: mockModel([calls('look'), 'ok']), tools: [look], store }).send(
      'Go',
      SESSION,
    );
    expect(seen).toEqual({ status: 'in-progress', roles: 'user assistant(look)', step: 1 });
  });

  it('no tool starts before the save of its turn is acknowledged', async () => {
    const order: string[] = [];
    const held = deferred();
    const store = spyStore(undefined, {
      around: async (method, _, next) => {
        if (method !== 'saveIfLeased' || order.includes('turn saved')) return next();
        await held.promise;
        const answer = await next();
        order.push('turn saved');
        return answer;
      },
    });
    const provider = mockModel([calls('a'), 'ok']);
    const agent = createAgent({ provider, tools: [tool('a', () => order.push('tool'))], store });
    const run = agent.send('Go', SESSION);
    await until(() => provider.calls.length === 1 && store.calls.includes('saveIfLeased'));
    expect(order).toEqual([]);
    held.resolve();
    await run;
    expect(order).toEqual(['turn saved', 'tool']);
  });

  it('the model is not asked before the save of the last result is acknowledged', async () => {
    const held = deferred();
    let saves = 0;
    const store = spyStore(undefined, {
      around: async (method, _, next) => {
        if (method === 'saveIfLeased' && ++saves === 2) await held.promise;
        return next();
      },
    });
    const provider = mockModel([calls('a'), 'ok']);
    const run = createAgent({ provider, tools: [tool('a')], store }).send('Go', SESSION);
    await until(() => saves === 2);
    expect(provider.calls).toHaveLength(1);
    held.resolve();
    await run;
    expect(provider.calls).toHaveLength(2);
  });

  it('A16 a result that settles before an earlier call is stored apart and never computed again', async () => {
    const store = spyStore();
    const slow = deferred<string>();
    let isFirstLife = true;
    const a = countingTool('a', () => (isFirstLife ? slow.promise : 'a at last'));
    const b = countingTool('b');
    const provider = mockModel([calls('a', 'b'), 'Done.']);
    const agent = createAgent({ provider, tools: [a, b], store });
    const first = agent.send('Go', SESSION);
    await until(() => store.saves.length === 2);
    expect(store.saves.map(outline)).toEqual([
      'in-progress | user assistant(a,b)',
      'in-progress | user assistant(a,b) | apart:b',
    ]);
    isFirstLife = false;
    slow.reject(new PropagatingToolError('the process died'));
    await rejection(first);

    const result = await agent.resume('order-7');
    expect({ a: a.started.length, b: b.started.length }).toEqual({ a: 2, b: 1 });
    expect(roles(result?.messages ?? [])).toBe('user assistant(a,b) tool(a) tool(b) assistant');
    expect(result?.toolCalls.map(({ id, result }) => [id, result])).toEqual([
      ['a', 'a at last'],
      ['b', 'b done'],
    ]);
    expect(provider.calls).toHaveLength(2);
  });

  it('A16 saves tool ids [], [b], [a,b], [a,b] when b settles first', async () => {
    const store = spyStore();
    const slow = deferred<string>();
    const provider = mockModel([calls('a', 'b'), 'Done.']);
    const tools = [tool('a', () => slow.promise), tool('b')];
    const run = createAgent({ provider, tools, store }).send('Go', SESSION);
    await until(() => store.saves.length === 2);
    slow.resolve('a');
    await run;
    expect(store.saves.map(outline)).toEqual([
      'in-progress | user assistant(a,b)',
      'in-progress | user assistant(a,b) | apart:b',
      'in-progress | user assistant(a,b) tool(a) tool(b)',
      'finished | user assistant(a,b) tool(a) tool(b) assistant',
    ]);
  });

  it('A62 four calls that settle in reverse order are each saved at once and end in call order', async () => {
    const store = spyStore();
    const gates = ['a', 'b', 'c', 'd'].map((name) => ({ name, gate: deferred<string>() }));
    const tools = gates.map(({ name, gate }) => tool(name, () => gate.promise));
    const agent = createAgent({ provider: mockModel([calls('a', 'b', 'c', 'd'), 'ok']), tools, store });
    const run = agent.send('Go', SESSION);
    for (const [index, { name, gate }] of gates.toReversed().entries()) {
      await until(() => store.saves.length === index + 1);
      gate.resolve(`result of ${name}`);
    }
    const { toolCalls } = await run;
    expect(store.saves.map(outline).slice(1, 4)).toEqual([
      'in-progress | user assistant(a,b,c,d) | apart:d',
      'in-progress | user assistant(a,b,c,d) | apart:c,d',
      'in-progress | user assistant(a,b,c,d) | apart:b,c,d',
    ]);
    expect(toolCalls.map(({ id, result }) => `${id}=${result}`)).toEqual([
      'a=result of a',
      'b=result of b',
      'c=result of c',
      'd=result of d',
    ]);
  });

  it('A19 a save that the store delays is never overtaken by an older one', async () => {
    const store = spyStore();
    const landed: (number | undefined)[] = [];
    const gates = [deferred(), deferred()];
    let saves = 0;
    const slow = spyStore(store.checkpoints, {
      around: async (method, args, next) => {
        if (method !== 'saveIfLeased') return next();
        const gate = gates[++saves - 2];
        if (gate) await gate.promise;
        landed.push((args[1] as { revision?: number }).revision);
        return next();
      },
    });
    const run = createAgent({
      provider: mockModel([calls('a', 'b'), 'ok']),
      tools: [tool('a'), tool('b')],
      store: slow,
    }).send('Go', SESSION);
    await until(() => saves === 2);
    gates[1]?.resolve();
    await until(() => saves === 2);
    expect(landed).toEqual([1]);
    gates[0]?.resolve();
    await run;
    expect(landed).toEqual([1, 2, 3, 4]);
  });

  it('a run that is aborted is saved in progress, with a cancelled result for each call that has none', async () => {
    const store = spyStore();
    const controller = new AbortController();
    const agent = createAgent({
      provider: mockModel([calls('a', 'b')]),
      tools: [tool('a', () => controller.abort()), tool('b')],
      toolConcurrency: 1,
      store,
    });
    const { finishReason } = await agent.send('Go', { ...SESSION, signal: controller.signal });
    expect(finishReason).toBe('aborted');
    expect(store.saves.map(outline)).toEqual([
      'in-progress | user assistant(a,b)',
      'in-progress | user assistant(a,b) tool(a)',
      'in-progress | user assistant(a,b) tool(a) tool(b)',
    ]);
    const last = store.saves.at(-1)?.checkpoint.messages.at(-1);
    expect(last?.isError).toBe(true);
    expect(JSON.parse(last?.content as string)).toMatchObject({
      error: 'ToolNotRunError',
      kind: 'not-run',
      toolName: 'b',
    });
  });

  it('a run that uses up its steps is saved finished', async () => {
    const store = spyStore();
    const provider = mockModel([calls('a')], { onExhausted: 'repeat-last' });
    const agent = createAgent({ provider, tools: [tool('a')], store, maxSteps: 2 });
    const { finishReason, steps } = await agent.send('Go', SESSION);
    expect({ finishReason, steps }).toEqual({ finishReason: 'max-steps', steps: 2 });
    expect(store.saves.at(-1)?.checkpoint).toMatchObject({ status: 'finished', finishReason: 'max-steps' });
    expect(provider.calls).toHaveLength(2);
    expect(transcriptFaults(store.saves.at(-1)?.checkpoint.messages ?? [])).toEqual([]);
  });

  it('a reply within the last step ends the run for its own reason', async () => {
    const agent = createAgent({ provider: mockModel([calls('a'), 'ok']), tools: [tool('a')], maxSteps: 2 });
    expect((await agent.send('Go')).finishReason).toBe('stop');
  });

  it('a run that rejects keeps its last checkpoint, in progress, with the error and the count of attempts', async () => {
    const store = spyStore();
    const provider = mockModel([
      calls('a'),
      { error: Object.assign(new Error('overloaded'), { status: 503 }) },
    ]);
    const agent = createAgent({ provider, tools: [tool('a')], store });
    expect(await codeOf(agent.send('Go', SESSION))).toBe('LOUSHO_PROVIDER_REQUEST_FAILED');
    const stored = await store.inner.load('order-7');
    expect(stored).toMatchObject({
      status: 'in-progress',
      attempts: 1,
      lastError: { code: 'LOUSHO_PROVIDER_REQUEST_FAILED', retryable: true },
    });
    expect(roles(stored?.messages ?? [])).toBe('user assistant(a) tool(a)');
  });

  it('results of unknown tools are saved with the turn that asked for them', async () => {
    const store = spyStore();
    const agent = createAgent({
      provider: mockModel([calls('a', 'ghost'), 'ok']),
      tools: [tool('a')],
      store,
    });
    await agent.send('Go', SESSION);
    expect(store.saves.map(outline)).toEqual([
      'in-progress | user assistant(a,ghost) | apart:ghost',
      'in-progress | user assistant(a,ghost) tool(a) tool(ghost)',
      'finished | user assistant(a,ghost) tool(a) tool(ghost) assistant',
    ]);
  });

  it('without a session id nothing is stored and no lease is taken', async () => {
    const store = spyStore();
    await createAgent({ provider: mockModel(['Hi.']), store }).send('Hi');
    expect(store.calls).toEqual([]);
  });

  it('a run costs one lease taken, one load, its saves, and one lease given back', async () => {
    const store = spyStore();
    const agent = createAgent({ provider: mockModel([calls('a'), 'ok']), tools: [tool('a')], store });
    await agent.send('Go', SESSION);
    expect(store.calls).toEqual([
      'acquireLease',
      'load',
      'saveIfLeased',
      'saveIfLeased',
      'saveIfLeased',
      'releaseLease',
    ]);
  });
});

describe('a store that fails', () => {
  it('A3 when the store goes down with the first result, the run rejects with its error and only that tool runs again', async () => {
    let isDown = false;
    let saves = 0;
    const store = spyStore(undefined, {
      around: (method, _, next) => {
        if (method === 'saveIfLeased' && ++saves === 2) isDown = true;
        if (isDown && method === 'saveIfLeased') throw new Error('disk full');
        return next();
      },
    });
    const a = countingTool('a');
    const provider = mockModel([calls('a'), 'Done.']);
    const ports = { logger: { warn: () => undefined } };
    const agent = createAgent({ provider, tools: [a], store, ports });
    const error = await rejection(agent.send('Go', SESSION));
    expect(error.code).toBe('LOUSHO_STORAGE_FAILED');
    expect((error.cause as Error).message).toBe('disk full');
    expect(provider.calls).toHaveLength(1);

    isDown = false;
    const result = await agent.send('Go', SESSION);
    expect(result.text).toBe('Done.');
    expect(provider.calls).toHaveLength(2);
    expect(a.started).toEqual(['a', 'a']);
  });

  it('when only one save fails, the result it carried is not lost and its tool does not run again', async () => {
    let saves = 0;
    const store = spyStore(undefined, {
      around: (method, _, next) => {
        if (method === 'saveIfLeased' && ++saves === 2) throw new Error('a hiccup');
        return next();
      },
    });
    const a = countingTool('a');
    const agent = createAgent({ provider: mockModel([calls('a'), 'Done.']), tools: [a], store });
    expect(await codeOf(agent.send('Go', SESSION))).toBe('LOUSHO_STORAGE_FAILED');
    expect((await agent.resume('order-7'))?.text).toBe('Done.');
    expect(a.started).toEqual(['a']);
  });

  it('a model turn whose save failed has started no tool', async () => {
    const store = spyStore(undefined, {
      around: (method, _, next) => {
        if (method === 'saveIfLeased') throw new Error('read-only');
        return next();
      },
    });
    const a = countingTool('a');
    const ports = { logger: { warn: () => undefined } };
    const agent = createAgent({ provider: mockModel([calls('a')]), tools: [a], store, ports });
    expect(await codeOf(agent.send('Go', SESSION))).toBe('LOUSHO_STORAGE_FAILED');
    expect(a.started).toEqual([]);
  });

  it('a save that may have arrived is the last of its run: no later result is told as saved that the store has not', async () => {
    let isLost = false;
    const store = spyStore(undefined, {
      around: async (method, args, next) => {
        const isFirstResult = method === 'saveIfLeased' && (args[1] as Checkpoint).revision === 2;
        if (isFirstResult && !isLost) {
          isLost = true;
          // It has arrived; its reply has not, and nobody can look.
          await next();
          throw new SDKError('LOUSHO_STORE_OUTCOME_UNKNOWN', 'the reply was lost');
        }
        const isLastWord = method === 'saveIfLeased' && (args[1] as Checkpoint).lastError !== undefined;
        if (isLost && (method === 'load' || isLastWord))
          throw new SDKError('LOUSHO_STORAGE_FAILED', 'no connection');
        return next();
      },
    });
    const [a, b] = [tool('a'), tool('b', () => settled())];
    const agent = createAgent({
      provider: mockModel([calls('a', 'b')]),
      tools: [a, b],
      store,
      ports: { logger: { warn: () => undefined } },
    });
    const run = agent.stream('Go', SESSION);
    const done: string[] = [];
    for await (const event of run) if (event.type === 'tool.done') done.push(event.toolCallId);
    expect(await codeOf(run.result)).toMatch(/LOUSHO_STORE_OUTCOME_UNKNOWN|LOUSHO_STORAGE_FAILED/);
    const { messages = [], settledResults = [] } = (await store.inner.load('order-7')) ?? {};
    const kept = [...messages, ...settledResults].flatMap(({ toolCallId }) => toolCallId ?? []);
    expect(done.filter((id) => !kept.includes(id))).toEqual([]);
  });

  it('a failing save of one result lets the siblings settle and starts no further call', async () => {
    let saves = 0;
    const store = spyStore(undefined, {
      around: (method, _, next) => {
        if (method === 'saveIfLeased' && ++saves === 2) throw new Error('a hiccup');
        return next();
      },
    });
    const tools = ['a', 'b', 'c'].map((name) => countingTool(name));
    const agent = createAgent({
      provider: mockModel([calls('a', 'b', 'c')]),
      tools,
      store,
      toolConcurrency: 1,
    });
    expect(await codeOf(agent.send('Go', SESSION))).toBe('LOUSHO_STORAGE_FAILED');
    expect(tools.map((each) => each.started.length)).toEqual([1, 0, 0]);
  });
});
