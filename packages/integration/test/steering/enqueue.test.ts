import { AgentExecutor, type AgentRun, createAgent, type RunInput, SDKError } from '@lousho/core';
import { type MockModel, mockModel, transcriptFaults } from '@lousho/core/testing';
import { memoryStore } from '@lousho/store-memory';
import { describe, expect, it } from 'vitest';
import { deferred, until } from '../executor/support/deferred.js';
import { outline, roles, spyStore } from '../executor/support/spy-store.js';
import { calls } from '../executor/support/tools.js';
import { onFullStores } from '../harness/on-stores.js';
import { mortalView } from '../session/support/mortal-view.js';
import { view } from '../session/support/view.js';
import { codeOf } from '../support/rejections.js';
import { conversation, watch } from './support/conversation.js';

const SESSION = { sessionId: 'order-7' };

/** An agent whose tool `a` says something to the run that it is a part of, then is done. */
function speaking(input: RunInput, turns: Parameters<typeof mockModel>[0], store = spyStore()) {
  const provider = mockModel(turns);
  const said: ReturnType<AgentRun['enqueue']>[] = [];
  let run: AgentRun | undefined;
  const a = () => {
    if (run) said.push(run.enqueue(input));
    return 'a done';
  };
  const { agent } = conversation({ provider, store, does: { a } });
  const start = () => {
    run = agent.stream('Go', SESSION);
    return watch(run);
  };
  return { provider, store, said, agent, start };
}

/** The save of the input fails: it has arrived, and nobody can look, where the outcome is said to be unknown. */
function failingOnce(code: 'LOUSHO_STORAGE_FAILED' | 'LOUSHO_STORE_OUTCOME_UNKNOWN') {
  let hasFailed = false;
  let isBroken = false;
  const store = spyStore(undefined, {
    around: async (method, args, next) => {
      const isInput = method === 'saveIfLeased' && JSON.stringify(args[1]).includes('And tea');
      if (isInput && !hasFailed) {
        hasFailed = true;
        isBroken = code === 'LOUSHO_STORE_OUTCOME_UNKNOWN';
        if (isBroken) await next();
        throw new SDKError(code, 'of the test');
      }
      if (method === 'load' && isBroken) throw new SDKError('LOUSHO_STORAGE_FAILED', 'no connection');
      return next();
    },
  });
  return Object.assign(store, {
    heal: () => {
      isBroken = false;
    },
  });
}

describe('input that is enqueued', () => {
  it('I1 during a tool joins behind its result, before the next step', async () => {
    const { provider, said, start } = speaking('And tea', [calls('a'), 'Done.']);
    const { run, told, done } = start();
    const result = await run.result;
    await done;
    expect(await said[0]?.applied).toBe(true);
    expect(roles(provider.lastCall?.messages ?? [])).toBe('user assistant(a) tool(a) user');
    expect(result).toMatchObject({ text: 'Done.', steps: 2, finishReason: 'stop' });
    expect(roles(result.messages)).toBe('user assistant(a) tool(a) user assistant');
    expect(told.filter((line) => !line.startsWith('text.'))).toEqual([
      'run.start',
      'step.start 1',
      'tool.start a',
      'input.queued',
      'tool.done a',
      'step.done 1 tool_calls',
      'input.applied 2',
      'step.start 2',
      'step.done 2 stop',
      'run.done',
    ]);
  });

  it('is kept at once, at the end of the transcript, and moves behind each result', async () => {
    const { store, start } = speaking('And tea', [calls('a'), 'Done.']);
    await start().run.result;
    expect(store.saves.map(outline)).toEqual([
      'in-progress | user assistant(a)',
      'in-progress | user assistant(a) user',
      'in-progress | user assistant(a) tool(a) user',
      'in-progress | user assistant(a) tool(a) user',
      'finished | user assistant(a) tool(a) user assistant',
    ]);
  });

  it('tells of itself once it is in the store', async () => {
    const { store, said, start } = speaking('And tea', [calls('a'), 'Done.']);
    const { run, events, done } = start();
    let wasStored: boolean | undefined;
    const saves = store.saves;
    const seen = (async () => {
      await until(() => events.some((event) => event.type === 'input.queued'));
      wasStored = saves.some(({ checkpoint }) => JSON.stringify(checkpoint.messages).includes('And tea'));
    })();
    await Promise.all([run.result, done, seen]);
    expect(wasStored).toBe(true);
    const [queued] = events.filter((event) => event.type === 'input.queued');
    expect(queued).toMatchObject({ id: said[0]?.id });
  });

  it('I2 during the last reply leads to one more step', async () => {
    const gate = deferred<string>();
    const provider = mockModel([async () => gate.promise, 'Tea is coming.']);
    const store = spyStore();
    const { agent } = conversation({ provider, store });
    const { run, told, done } = watch(agent.stream('Coffee', SESSION));
    await until(() => provider.calls.length === 1);
    const { applied } = run.enqueue('And tea');
    gate.resolve('Coffee is coming.');
    const result = await run.result;
    await done;
    expect(await applied).toBe(true);
    expect(result).toMatchObject({ text: 'Tea is coming.', steps: 2, finishReason: 'stop' });
    expect(roles(result.messages)).toBe('user assistant user assistant');
    expect(told.filter((line) => !line.startsWith('text.')).slice(1)).toEqual([
      'step.start 1',
      'input.queued',
      'step.done 1 stop',
      'input.applied 2',
      'step.start 2',
      'step.done 2 stop',
      'run.done',
    ]);
    // The first reply is in the store before the model is asked again.
    expect(store.saves.map(outline)).toEqual([
      'in-progress | user user',
      'in-progress | user assistant user',
      'finished | user assistant user assistant',
    ]);
  });

  it('I3 after the run has finished is refused', async () => {
    const { agent } = conversation({ provider: mockModel(['Done.']) });
    const run = agent.stream('Go');
    await run.result;
    expect(run.enqueue('More').applied).toBe(false);
    const steer = run.steer('More');
    expect(steer.applied).toBe(false);
    expect(await steer.joined).toBe(false);
  });

  it('I3 before an abort does not join, and is not kept', async () => {
    const controller = new AbortController();
    const gate = deferred<string>();
    const store = spyStore();
    const { agent } = conversation({
      provider: mockModel([calls('a')]),
      store,
      does: { a: () => gate.promise },
    });
    const run = agent.stream('Go', { ...SESSION, signal: controller.signal });
    await until(() => store.saves.length === 1);
    const { applied } = run.enqueue('And tea');
    await until(() => store.saves.length === 2);
    controller.abort();
    expect(run.enqueue('too late').applied).toBe(false);
    gate.resolve('a done');
    expect((await run.result).finishReason).toBe('aborted');
    expect(await applied).toBe(false);
    expect(roles((await store.inner.load('order-7'))?.messages ?? [])).toBe('user assistant(a) tool(a)');
  });

  it('before a pause does not join, and is kept neither with the run nor with the question', async () => {
    const provider = mockModel([calls('a', 'b'), 'Done.']);
    const gate = deferred<string>();
    const store = memoryStore();
    const does = { a: () => gate.promise, b: () => 'b done' };
    const { agent } = conversation({ provider, store, does, gated: ['b'] });
    const run = agent.stream('Go', SESSION);
    await until(() => provider.calls.length === 1);
    const { applied } = run.enqueue('And tea');
    gate.resolve('a done');
    const result = await run.result;
    expect(result.finishReason).toBe('awaiting-approval');
    expect(await applied).toBe(false);
    expect(run.enqueue('More').applied).toBe(false);
    const stored = await store.checkpoints.load('order-7');
    expect(roles(stored?.messages ?? [])).toBe('user assistant(a,b) tool(a)');
    const record = await store.approvals.load(result.approvalId ?? '');
    expect(JSON.stringify(record)).not.toContain('And tea');
    const decided = await agent.approvals.resolve({ id: result.approvalId ?? '', approved: true });
    expect(roles(decided.messages)).toBe('user assistant(a,b) tool(a) tool(b) assistant');
  });

  it('to a run that rejects stays with its record: whoever resumes it delivers it', async () => {
    const gate = deferred<void>();
    const fails = mockModel([
      async () => {
        await gate.promise;
        return { error: new Error('overloaded') };
      },
      'Both.',
    ]);
    const store = spyStore();
    const { agent } = conversation({ provider: fails, store });
    const run = agent.stream('Coffee', SESSION);
    await until(() => fails.calls.length === 1);
    const { applied } = run.enqueue('And tea');
    gate.resolve();
    expect(await codeOf(run.result)).toBe('LOUSHO_PROVIDER_REQUEST_FAILED');
    expect(await applied).toBe(false);
    expect(await store.inner.load('order-7')).toMatchObject({ status: 'in-progress', attempts: 1 });
    // Said again, it is recognised.
    const result = await agent.send('And tea', SESSION);
    expect(fails.lastCall?.messages.map((message) => message.content)).toEqual(['Coffee', 'And tea']);
    expect(result.text).toBe('Both.');
  });

  it('whose save did not arrive is saved with what comes next', async () => {
    const { provider, said, start } = speaking(
      'And tea',
      [calls('a'), 'Done.'],
      failingOnce('LOUSHO_STORAGE_FAILED'),
    );
    const { run } = start();
    const { messages } = await run.result;
    expect(await said[0]?.applied).toBe(true);
    expect(roles(messages)).toBe('user assistant(a) tool(a) user assistant');
    expect(provider.calls).toHaveLength(2);
  });

  it('whose save may have arrived or not, and nobody can tell, rejects the run before its next effect', async () => {
    const store = failingOnce('LOUSHO_STORE_OUTCOME_UNKNOWN');
    const { provider, said, agent, start } = speaking('And tea', [calls('a'), 'Done.'], store);
    const { run, told, done } = start();
    expect(await codeOf(run.result)).toBe('LOUSHO_STORE_OUTCOME_UNKNOWN');
    await done;
    expect(provider.calls).toHaveLength(1);
    expect(told).not.toContain('tool.done a');
    expect(await said[0]?.applied).toBe(false);
    // Here it had arrived: whoever goes on finds it, and the call that has no result.
    expect(roles((await store.inner.load('order-7'))?.messages ?? [])).toBe('user assistant(a) user');
    store.heal();
    const result = await agent.resume('order-7');
    expect(roles(result?.messages ?? [])).toBe('user assistant(a) tool(a) user assistant');
  });

  it('before the run has begun joins the first step', async () => {
    const provider = mockModel(['Both.']);
    const { agent } = conversation({ provider, store: spyStore() });
    const { run, told, done } = watch(agent.stream('Coffee', SESSION));
    const { applied } = run.enqueue('And tea');
    await run.result;
    await done;
    expect(await applied).toBe(true);
    expect(provider.calls.map(({ messages }) => roles(messages))).toEqual(['user user']);
    expect(told.slice(0, 4)).toEqual(['run.start', 'input.queued', 'input.applied 1', 'step.start 1']);
  });

  it('to a run that cannot begin does not join', async () => {
    const store = spyStore();
    await store.inner.acquireLease?.('order-7', 'somebody else', 60_000);
    const { agent } = conversation({ provider: mockModel([]), store });
    const run = agent.stream('Coffee', SESSION);
    const { applied } = run.enqueue('And tea');
    expect(await codeOf(run.result)).toBe('LOUSHO_SESSION_BUSY');
    expect(await applied).toBe(false);
  });

  it('several times joins in order, in one step', async () => {
    const gate = deferred<string>();
    const provider = mockModel([calls('a'), 'Done.']);
    const { agent } = conversation({ provider, store: spyStore(), does: { a: () => gate.promise } });
    const { run, told, done } = watch(agent.stream('Go', SESSION));
    await until(() => provider.calls.length === 1);
    const said = ['one', 'two', 'three'].map((input) => run.enqueue(input));
    gate.resolve('a done');
    const { messages } = await run.result;
    await done;
    expect(messages.slice(3, 6).map(({ content }) => content)).toEqual(['one', 'two', 'three']);
    expect(await Promise.all(said.map(({ applied }) => applied))).toEqual([true, true, true]);
    expect(new Set(said.map(({ id }) => id)).size).toBe(3);
    expect(told.filter((line) => line.startsWith('input.applied'))).toEqual(Array(3).fill('input.applied 2'));
  });

  it('when no step is left does not take the reply’s place: the run ends with it', async () => {
    const gate = deferred<string>();
    const provider = mockModel([async () => gate.promise]);
    const store = spyStore();
    const { agent } = conversation({ provider, store, maxSteps: 1 });
    const run = agent.stream('Coffee', SESSION);
    await until(() => provider.calls.length === 1);
    const { applied } = run.enqueue('And tea');
    gate.resolve('Coffee is coming.');
    expect(await run.result).toMatchObject({ finishReason: 'stop', text: 'Coffee is coming.' });
    expect(await applied).toBe(false);
    expect(roles((await store.inner.load('order-7'))?.messages ?? [])).toBe('user assistant');
  });

  it('is what a user says: anything else is refused at once, and what the store could not keep', async () => {
    const gate = deferred<string>();
    const { agent } = conversation({ provider: mockModel([async () => gate.promise]) });
    const run = agent.stream('Go');
    const saying = (input: unknown) => async () => run.enqueue(input as RunInput);
    expect(await codeOf(saying('')())).toBe('LOUSHO_CONFIG_MISSING_INPUT');
    expect(await codeOf(saying([])())).toBe('LOUSHO_CONFIG_MISSING_INPUT');
    expect(await codeOf(saying([{ role: 'system', content: 'Obey' }])())).toBe('LOUSHO_CONFIG_MISSING_INPUT');
    expect(await codeOf(saying([{ role: 'assistant', content: 'Yes' }])())).toBe('LOUSHO_CONFIG_INVALID');
    const unstorable = [{ role: 'user', content: 'Hi', metadata: { at: new Date() } }];
    expect(await codeOf(saying(unstorable)())).toBe('LOUSHO_VALUE_INVALID');
    gate.resolve('Done.');
    expect(roles((await run.result).messages)).toBe('user assistant');
  });

  it('reaches every run that is streamed: without a session id, the executor’s, a session’s turn, a decided one', async () => {
    const store = memoryStore();
    const { checkpoints } = store;
    const streams: Record<string, (provider: MockModel) => Promise<AgentRun>> = {
      'without a session id': async (provider) => createAgent({ provider }).stream('Coffee'),
      'of the executor': async (provider) =>
        AgentExecutor.stream({
          agent: { name: 'bare' },
          input: 'Coffee',
          provider,
          sessionId: 'bare',
          checkpointStore: checkpoints,
        }),
      'of a session': async (provider) =>
        createAgent({ provider, store }).session({ id: 'chat' }).stream('Coffee'),
      'of a decision': async (provider) => {
        const asking = { store, does: { a: () => 'a done' }, gated: ['a'] };
        const { approvalId: id = '' } = await conversation({
          ...asking,
          provider: mockModel([calls('a')]),
        }).agent.send('Coffee', { sessionId: 'decided' });
        return conversation({ ...asking, provider }).agent.approvals.streamResolve({ id, approved: true });
      },
    };
    for (const [name, start] of Object.entries(streams)) {
      const gate = deferred<string>();
      const provider = mockModel([async () => gate.promise, 'Tea.']);
      const run = await start(provider);
      await until(() => provider.calls.length === 1);
      const { applied } = run.enqueue('And tea');
      gate.resolve('Coffee.');
      expect([name, await applied, (await run.result).text]).toEqual([name, true, 'Tea.']);
    }
    const transcript = await createAgent({ provider: mockModel([]), store })
      .session({ id: 'chat' })
      .messages();
    expect(roles(transcript)).toBe('user assistant user assistant');
  });
});

describe('queued input', () => {
  onFullStores((newStorage) => {
    it('I4 survives a crash: it is the last message of the checkpoint, and delivered behind the tool results', async () => {
      const storage = newStorage();
      const dying = deferred<string>();
      const provider = mockModel([calls('a')]);
      const first = conversation({ provider, store: view(storage.open()), does: { a: () => dying.promise } });
      const { run, told } = watch(first.agent.stream('Go', SESSION));
      await until(() => first.effects.length === 1);
      run.enqueue('And tea');
      await until(() => told.includes('input.queued'));

      const stored = await storage.open().checkpoints.load('order-7');
      expect(roles(stored?.messages ?? [])).toBe('user assistant(a) user');
      expect(stored?.messages.at(-1)).toEqual({ role: 'user', content: 'And tea' });

      // Nothing of the first process reaches the store any more: another one has taken the run over.
      const { checkpoints } = storage.open();
      await checkpoints.releaseLease('order-7', (await checkpoints.readLease('order-7'))?.owner ?? '');
      const again = mockModel(['Done.']);
      const second = conversation({ provider: again, store: storage.open(), does: { a: () => 'a done' } });
      const result = await second.agent.resume('order-7');
      expect(roles(again.lastCall?.messages ?? [])).toBe('user assistant(a) tool(a) user');
      expect(roles(result?.messages ?? [])).toBe('user assistant(a) tool(a) user assistant');
      expect(transcriptFaults(result?.messages ?? [])).toEqual([]);
      dying.resolve('late');
      expect(await codeOf(run.result)).toBe('LOUSHO_SESSION_BUSY');
    });

    it('I4 of a session’s turn survives a crash as well, and is committed with the turn', async () => {
      const storage = newStorage();
      let saves = 0;
      // The turn with its call is the first save, the input the second.
      const dying = mortalView(storage.open(), {
        after: (name) => name === 'checkpoints.saveIfLeased' && ++saves === 2,
      });
      let run: AgentRun | undefined;
      const first = conversation({
        provider: mockModel([calls('a')]),
        store: dying.store,
        does: { a: () => run?.enqueue('And tea').id },
      });
      run = first.agent.session({ id: 'chat' }).stream('Coffee');
      await run.result.catch(() => undefined);

      const { agent } = conversation({
        provider: mockModel(['Both.']),
        store: storage.open(),
        does: { a: () => 'a done' },
      });
      const session = agent.session({ id: 'chat' });
      expect((await session.resume())?.text).toBe('Both.');
      const transcript = await session.messages();
      expect(roles(transcript)).toBe('user assistant(a) tool(a) user assistant');
      expect(transcript.filter(({ content }) => content === 'And tea')).toHaveLength(1);
    });
  });
});
