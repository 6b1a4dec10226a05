import { AgentExecutor, type Checkpoint, type CheckpointStore, compareTrajectories } from '@lousho/core';
import { transcriptFaults } from '@lousho/core/testing';
import { describe, expect, it } from 'vitest';
import { resultOf, roles } from '../approval/support/results.js';
import { calls } from '../approval/support/workshop.js';
import { deferred } from '../executor/support/deferred.js';
import { onFullStores } from '../harness/on-stores.js';
import { together } from '../harness/together.js';
import { office } from '../session/support/office.js';
import { codeOf, rejection } from '../support/rejections.js';

/** Asks for the weather, then books by it, then says so: what it does follows from what it was told. */
const TRIP = {
  turns: [
    calls('weather'),
    (request: { messages: readonly { content: unknown }[] }) => ({
      text: '',
      finishReason: 'tool_calls' as const,
      toolCalls: [
        {
          id: 'book',
          type: 'function' as const,
          function: {
            name: 'book',
            arguments: JSON.stringify({
              place: String(request.messages.at(-1)?.content).includes('rain') ? 'museum' : 'beach',
            }),
          },
        },
      ],
    }),
    (request: { messages: readonly { content: unknown }[] }) => ({
      text: `Booked: ${request.messages.at(-1)?.content}`,
      finishReason: 'stop' as const,
    }),
  ],
  open: ['weather', 'book'],
  instructions: 'Plan trips.',
  does: { weather: () => ({ sky: 'sun' }), book: (args: unknown) => (args as { place: string }).place },
} as const;

describe('a fork', () => {
  onFullStores((newStorage) => {
    async function trip() {
      const storage = newStorage();
      const all = office(storage.open, TRIP);
      await all.start().agent.send('Plan my trip', { sessionId: 'trip', businessState: { cart: 1 } });
      all.effects.length = 0;
      return { ...storage, ...all, raw: () => storage.raw('trip') };
    }

    it('C9 from step 1 with another result goes its own way; the call is not run again and the source is byte-identical', async () => {
      const { start, open, raw, effects } = await trip();
      const { checkpoints } = open();
      const before = [await raw(), await checkpoints.load('trip'), await checkpoints.history('trip')];
      const { agent } = start();
      const fork = await agent.fork('trip', {
        fromStep: 1,
        patch: { toolResult: { toolCallId: 'weather', result: { sky: 'rain' } } },
      });
      expect(fork.sessionId).toBe('trip.fork-1');
      expect(fork.step).toBe(1);
      expect(fork.checkpoint).toMatchObject({
        sessionId: 'trip.fork-1',
        stepIndex: 1,
        status: 'in-progress',
        revision: 1,
        businessState: { cart: 1 },
      });
      expect(roles(fork.checkpoint.messages)).toBe('system user assistant(weather) tool(weather)');
      expect(await checkpoints.load('trip.fork-1')).toEqual(fork.checkpoint);
      const source = (await checkpoints.load('trip')) as Checkpoint;
      expect(fork.checkpoint.runId).not.toBe(source.runId);
      expect((await agent.pending()).map((run) => [run.sessionId, run.kind])).toEqual([
        ['trip.fork-1', 'run'],
      ]);

      const result = await start().agent.resume('trip.fork-1');
      expect(result).toMatchObject({ text: 'Booked: "museum"', steps: 3, usage: { modelCalls: 3 } });
      expect(effects).toEqual(['book']);
      expect([await raw(), await checkpoints.load('trip'), await checkpoints.history('trip')]).toEqual(
        before,
      );
      const replayed = (await checkpoints.load('trip.fork-1')) as Checkpoint;
      expect(compareTrajectories(source, replayed)).toMatchObject({
        divergedAt: 1,
        drift: [
          {
            field: 'args',
            committed: { name: 'book', args: { place: 'beach' } },
            current: { name: 'book', args: { place: 'museum' } },
          },
        ],
      });
    });

    it('C9 two opposite forks of one step see their own result each, resumed at once beside each other', async () => {
      const { start, raw } = await trip();
      const before = await raw();
      const patch = (sky: string) => ({ toolResult: { toolCallId: 'weather', result: { sky } } });
      const [sun, rain] = await Promise.all(
        ['sun', 'rain'].map((sky) => start().agent.fork('trip', { fromStep: 1, patch: patch(sky) })),
      );
      const [sunny, rainy] = await Promise.all(
        [sun, rain].map((fork) => start().agent.resume(fork?.sessionId ?? '')),
      );
      expect([sunny?.text, rainy?.text]).toEqual(['Booked: "beach"', 'Booked: "museum"']);
      expect([
        resultOf(sunny?.messages ?? [], 'weather'),
        resultOf(rainy?.messages ?? [], 'weather'),
      ]).toEqual([{ sky: 'sun' }, { sky: 'rain' }]);
      expect(await raw()).toEqual(before);
    });

    it('C10 the second one is fork-2; an id that is taken, or the source, is refused and left as it is', async () => {
      const { start, open, raw } = await trip();
      const { agent } = start();
      expect((await agent.fork('trip', { fromStep: 1 })).sessionId).toBe('trip.fork-1');
      expect((await agent.fork('trip', { fromStep: 2 })).sessionId).toBe('trip.fork-2');
      expect((await agent.fork('trip', { fromStep: 2, newSessionId: 'mine' })).sessionId).toBe('mine');
      const before = [await raw(), await open().checkpoints.load('mine')];
      for (const newSessionId of ['mine', 'trip', 'trip.fork-1']) {
        const refusal = await rejection(agent.fork('trip', { fromStep: 1, newSessionId }));
        expect(refusal).toMatchObject({ name: 'ConfigurationError', code: 'LOUSHO_CONFIG_INVALID' });
        expect(refusal.message).toContain('already has a checkpoint');
      }
      expect([await raw(), await open().checkpoints.load('mine')]).toEqual(before);
      await open().checkpoints.delete('trip.fork-1', { keepHistory: true });
      expect((await agent.fork('trip', { fromStep: 1 })).sessionId).toBe('trip.fork-1');
      expect((await agent.resume('trip.fork-1'))?.finishReason).toBe('stop');
    });

    it('C10 a fork of a fork', async () => {
      const { start } = await trip();
      const { agent } = start();
      await agent.fork('trip', { fromStep: 1 });
      await agent.resume('trip.fork-1');
      const fork = await agent.fork('trip.fork-1', { fromStep: 2 });
      expect(fork.sessionId).toBe('trip.fork-1.fork-1');
      expect((await agent.resume(fork.sessionId))?.text).toBe('Booked: "beach"');
    });

    it('C11 from the pending entry, with a result and more input, ends tool, user; the tool never runs', async () => {
      const { start, effects, open } = await trip();
      const { agent, model } = start();
      const pending = (await open().checkpoints.history('trip')).find(
        ({ checkpoint }) => roles(checkpoint.messages) === 'system user assistant(weather)',
      );
      expect(pending?.step).toBe(1);
      // The newest entry of step 1 has the result already, so a run is made that has none.
      await open().checkpoints.save('open', { ...(pending?.checkpoint as Checkpoint), sessionId: 'open' });
      const fork = await agent.fork('open', {
        fromStep: 1,
        patch: { toolResult: { toolCallId: 'weather', result: { sky: 'rain' } }, appendInput: 'Quickly!' },
      });
      const tail = fork.checkpoint.messages.slice(-2);
      expect(tail.map(({ role }) => role)).toEqual(['tool', 'user']);
      await agent.resume(fork.sessionId);
      expect(effects).not.toContain('weather');
      expect(transcriptFaults(model.requests[0]?.messages ?? [])).toEqual([]);
      expect(roles(model.requests[0]?.messages ?? [])).toBe(
        'system user assistant(weather) tool(weather) user',
      );
    });

    it('C11 more input without a result waits behind the pending call, which runs first', async () => {
      const { start, effects, open } = await trip();
      const pending = (await open().checkpoints.history('trip')).find(
        ({ checkpoint }) => roles(checkpoint.messages) === 'system user assistant(weather)',
      );
      await open().checkpoints.save('open', { ...(pending?.checkpoint as Checkpoint), sessionId: 'open' });
      const { agent, model } = start();
      const fork = await agent.fork('open', { fromStep: 1, patch: { appendInput: 'Quickly!' } });
      await agent.resume(fork.sessionId);
      expect(effects[0]).toBe('weather');
      expect(roles(model.requests[0]?.messages ?? [])).toBe(
        'system user assistant(weather) tool(weather) user',
      );
    });

    it('C12 a call that is not in the transcript is refused, and no fork is made', async () => {
      const { start, open } = await trip();
      const { agent } = start();
      for (const toolCallId of ['book', 'nobody', '']) {
        const patch = { toolResult: { toolCallId, result: 1 } };
        expect(await rejection(agent.fork('trip', { fromStep: 1, patch }))).toMatchObject({
          name: 'ConfigurationError',
          code: 'LOUSHO_CONFIG_INVALID',
        });
      }
      expect(await open().checkpoints.load('trip.fork-1')).toBeNull();
    });

    it('C13 a step that is not kept is refused with the steps that are; so is an unknown session', async () => {
      const { start } = await trip();
      const { agent } = start();
      const refusal = await rejection(agent.fork('trip', { fromStep: 4 }));
      expect(refusal.code).toBe('LOUSHO_CHECKPOINT_NOT_FOUND');
      expect(refusal.detail).toContain('1, 2, 3');
      expect(await codeOf(agent.fork('nobody', { fromStep: 1 }))).toBe('LOUSHO_CHECKPOINT_NOT_FOUND');
      for (const fromStep of [-1, 1.5, Number.NaN, '1' as unknown as number])
        expect(await codeOf(agent.fork('trip', { fromStep }))).toBe('LOUSHO_CONFIG_INVALID');
    });

    it('C16 many forks at once, from clients of their own, have ids of their own', async () => {
      const { start, open, raw } = await trip();
      const before = await raw();
      const forks = await together(
        open(),
        Array.from({ length: 8 }, () => () => start().agent.fork('trip', { fromStep: 1 })),
      );
      const ids = forks.map(({ sessionId }) => sessionId);
      expect(new Set(ids).size).toBe(8);
      for (const { sessionId, checkpoint } of forks)
        expect(await open().checkpoints.load(sessionId)).toEqual(checkpoint);
      expect(new Set(forks.map(({ checkpoint }) => checkpoint.runId)).size).toBe(8);
      expect(await raw()).toEqual(before);
    });

    it('C20 has the rest of the budget of steps', async () => {
      const { start, open } = await trip();
      const { agent, model } = start({
        maxSteps: 3,
        turns: [calls('weather'), calls('book'), calls('weather'), 'never'],
      });
      await agent.fork('trip', { fromStep: 2 });
      const result = await agent.resume('trip.fork-1');
      expect(result).toMatchObject({ finishReason: 'max-steps', steps: 3 });
      expect(model.requests).toHaveLength(1);
      expect((await open().checkpoints.load('trip.fork-1'))?.status).toBe('finished');
    });

    it('C21 a step that the ring has dropped is refused with the rest', async () => {
      const { open } = newStorage();
      const { start } = office(() => open({ historyLimit: 3 }), TRIP);
      const { agent } = start();
      await agent.send('Plan my trip', { sessionId: 'trip' });
      const kept = [...new Set((await open().checkpoints.history('trip')).map(({ step }) => step))];
      expect(kept).not.toContain(1);
      const refusal = await rejection(agent.fork('trip', { fromStep: 1 }));
      expect(refusal.code).toBe('LOUSHO_CHECKPOINT_NOT_FOUND');
      for (const step of kept) expect(refusal.detail).toContain(String(step));
    });

    it('of the finished entry, unchanged, is finished without a model call', async () => {
      const { start, effects } = await trip();
      const { agent, model } = start();
      const fork = await agent.fork('trip', { fromStep: 3 });
      expect(fork.checkpoint.status).toBe('in-progress');
      expect((await agent.resume(fork.sessionId))?.text).toBe('Booked: "beach"');
      expect(model.requests).toEqual([]);
      expect(effects).toEqual([]);
    });

    it('applies its patches in order: messages, state, result, input', async () => {
      const { start, open } = await trip();
      const { agent } = start();
      const source = await open().checkpoints.load('trip');
      const fork = await agent.fork('trip', {
        fromStep: 1,
        patch: {
          appendInput: 'Hurry.',
          toolResult: { toolCallId: 'weather', result: 'patched' },
          businessState: null,
          messages: (messages) => {
            // What it is given is a copy: writing into it must not reach the source.
            (messages[0] as { content: string }).content = 'Changed.';
            return messages.map((message) =>
              message.role === 'tool' ? { ...message, content: '"by messages"' } : message,
            );
          },
        },
      });
      const [system] = fork.checkpoint.messages;
      expect(system?.content).toBe('Changed.');
      expect(resultOf(fork.checkpoint.messages, 'weather')).toBe('patched');
      expect(fork.checkpoint.businessState).toBeNull();
      expect(fork.checkpoint.messages.at(-1)).toEqual({ role: 'user', content: 'Hurry.' });
      expect(await open().checkpoints.load('trip')).toEqual(source);
    });

    it('keeps a business state that the patch does not name, also one that it names as undefined', async () => {
      const { start } = await trip();
      const { agent } = start();
      const one = await agent.fork('trip', { fromStep: 1, patch: {} });
      const two = await agent.fork('trip', { fromStep: 1, patch: { businessState: undefined } });
      const three = await agent.fork('trip', { fromStep: 1, patch: { businessState: { cart: 2 } } });
      expect([one, two, three].map(({ checkpoint }) => checkpoint.businessState)).toEqual([
        { cart: 1 },
        { cart: 1 },
        { cart: 2 },
      ]);
    });

    it('a patch that a fork does not know is refused, and so are ids that no run may have', async () => {
      const { start } = await trip();
      const { agent } = start();
      expect(await codeOf(agent.fork('trip', { fromStep: 1, patch: { message: 1 } as never }))).toBe(
        'LOUSHO_CONFIG_INVALID',
      );
      for (const newSessionId of ['', '.a', 'a.turn-1', 'a.paused', 'a/b'])
        expect(await codeOf(agent.fork('trip', { fromStep: 1, newSessionId }))).toBe(
          'LOUSHO_SESSION_ID_INVALID',
        );
    });

    it('A71 of a run that is going on is consistent, and neither disturbs the other', async () => {
      const { open } = newStorage();
      const gate = deferred<void>();
      const { start, effects } = office(open, TRIP);
      const slow = start({
        does: {
          ...TRIP.does,
          book: async () => {
            await gate.promise;
            return 'beach';
          },
        },
      });
      const going = slow.agent.send('Plan my trip', { sessionId: 'trip' });
      await expect.poll(() => effects.includes('book')).toBe(true);
      const other = start();
      const fork = await other.agent.fork('trip', { fromStep: 1 });
      expect(transcriptFaults(fork.checkpoint.messages)).toEqual([]);
      expect(roles(fork.checkpoint.messages)).toBe('system user assistant(weather) tool(weather)');
      const second = await other.agent.fork('trip', { fromStep: 2 });
      expect(roles(second.checkpoint.messages)).toBe(
        'system user assistant(weather) tool(weather) assistant(book)',
      );
      expect((await other.agent.resume(fork.sessionId))?.text).toBe('Booked: "beach"');
      gate.resolve();
      expect((await going).text).toBe('Booked: "beach"');
      expect((await open().checkpoints.load('trip'))?.status).toBe('finished');
    });

    it('the same on the executor', async () => {
      const { open, start } = await trip();
      const { checkpoints } = open();
      const { model } = start();
      const fork = await AgentExecutor.fork({
        sessionId: 'trip',
        fromStep: 1,
        checkpointStore: checkpoints,
        patch: { appendInput: 'More' },
      });
      const result = await AgentExecutor.execute({
        agent: { name: 'agent' },
        provider: model,
        input: [],
        sessionId: fork.sessionId,
        checkpointStore: checkpoints,
        onAgentDrift: 'ignore',
      });
      expect(
        roles(result.messages).startsWith('system user assistant(weather) tool(weather) user assistant'),
      ).toBe(true);
    });
  });

  it('without a store, and with one that keeps no history, is refused', async () => {
    const { start } = office(() => {
      throw new Error('not needed');
    }, TRIP);
    expect(await codeOf(start({ store: {} }).agent.fork('trip', { fromStep: 1 }))).toBe(
      'LOUSHO_CONFIG_MISSING_CHECKPOINT_STORE',
    );
    const saved = new Map<string, Checkpoint>();
    const three: CheckpointStore = {
      save: async (id, checkpoint) => void saved.set(id, checkpoint),
      load: async (id) => saved.get(id) ?? null,
      delete: async (id) => void saved.delete(id),
    } as CheckpointStore;
    const { agent } = start({ store: { checkpoints: three } });
    await agent.send('Plan my trip', { sessionId: 'trip' });
    expect(await rejection(agent.fork('trip', { fromStep: 1 }))).toMatchObject({
      name: 'ConfigurationError',
      code: 'LOUSHO_CONFIG_INVALID',
    });
  });
});
