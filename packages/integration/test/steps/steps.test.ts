import { type Checkpoint, createAgent, defineTool, type ToolContext } from '@lousho/core';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { mortal, nth } from '../approval/support/mortal.js';
import { resultOf, roles } from '../approval/support/results.js';
import { calls, scriptedModel } from '../approval/support/workshop.js';
import { newStorageOf, onFullStores } from '../harness/on-stores.js';
import { strideOn } from '../harness/stride.js';
import { diesAtSave, mortalView } from '../session/support/mortal-view.js';
import { office } from '../session/support/office.js';
import { view } from '../session/support/view.js';

/** Books a trip in three parts; `done` notes each part that really ran. */
function trip(done: string[], broken: (part: string) => void = () => undefined) {
  return async (_: unknown, { step }: ToolContext) => {
    const parts: unknown[] = [];
    for (const part of ['flight', 'hotel', 'car']) {
      parts.push(
        await step(part, () => {
          broken(part);
          done.push(part);
          return { part, n: done.length };
        }),
      );
    }
    return parts;
  };
}

describe('a step of a tool call', () => {
  onFullStores((newStorage, kind) => {
    it('runs once, in order, and its value is what the tool is given', async () => {
      const { open } = newStorage();
      const done: string[] = [];
      const { start } = office(open, {
        turns: [calls('book'), 'done'],
        open: ['book'],
        does: { book: trip(done) },
      });
      const { messages } = await start().agent.send('Go', { sessionId: 'run' });
      expect(done).toEqual(['flight', 'hotel', 'car']);
      expect(resultOf(messages, 'book')).toEqual([
        { part: 'flight', n: 1 },
        { part: 'hotel', n: 2 },
        { part: 'car', n: 3 },
      ]);
    });

    it('whose process dies at any operation does not repeat what was recorded, and no part is left out', async () => {
      for (let n = 1; n < 60; n += strideOn(kind, 1)) {
        for (const side of ['before', 'after'] as const) {
          const { open } = newStorage();
          const done: string[] = [];
          const { start } = office(open, {
            turns: [calls('book'), 'done'],
            open: ['book'],
            does: { book: trip(done) },
          });
          const dying = mortalView(open(), { [side]: (_: string, count: number) => count === n });
          const first = await start({ store: dying.store })
            .agent.send('Go', { sessionId: 'run' })
            .catch(() => undefined);
          const recorded = Object.keys((await open().checkpoints.load('run'))?.toolSteps?.book ?? {});
          const before = [...done];
          const { agent } = start();
          const stored = await open().checkpoints.load('run');
          if (stored) await agent.resume('run');
          else await agent.send('Go', { sessionId: 'run' });
          const messages = (await open().checkpoints.load('run'))?.messages ?? [];
          expect(roles(messages)).toBe('user assistant(book) tool(book) assistant');
          const again = done.slice(before.length);
          for (const part of recorded) expect(again).not.toContain(part);
          expect(new Set(done)).toEqual(new Set(['flight', 'hotel', 'car']));
          // A part that was cut off before its record may run twice; no part runs more often.
          for (const part of ['flight', 'hotel', 'car'])
            expect(done.filter((each) => each === part).length).toBeLessThanOrEqual(2);
          expect(done.length).toBeLessThanOrEqual(4);
          expect((await open().checkpoints.load('run'))?.toolSteps).toBeUndefined();
          if (first && side === 'after') return;
        }
      }
      throw new Error('the run never came to its end');
    });

    it('that the process dies inside of runs again, those before it do not', async () => {
      const { open } = newStorage();
      const done: string[] = [];
      const dying = mortal(open());
      const { start } = office(open, {
        turns: [calls('book'), 'done'],
        open: ['book'],
        does: { book: trip(done) },
      });
      const first = start({
        store: dying.store,
        does: {
          book: trip(done, (part) => {
            if (part === 'hotel') dying.kill();
          }),
        },
      });
      await first.agent.send('Go', { sessionId: 'run' }).catch(() => undefined);
      expect(done).toEqual(['flight']);
      const result = await start().agent.resume('run');
      expect(done).toEqual(['flight', 'hotel', 'car']);
      expect(resultOf(result?.messages ?? [], 'book')).toMatchObject([{ n: 1 }, { n: 2 }, { n: 3 }]);
    });

    it('gives the first run the same value as a later one: JSON and bytes, `undefined` as null', async () => {
      const { open } = newStorage();
      const values = { bytes: new Uint8Array([0, 255]), nested: { list: [1, null, 'ü'] }, empty: undefined };
      const seen: unknown[][] = [];
      const book = async (_: unknown, { step }: ToolContext) => {
        seen.push([await step('values', () => values), await step('nothing', () => undefined)]);
        return 'done';
      };
      const { start } = office(open, { turns: [calls('book'), 'done'], open: ['book'], does: { book } });
      const saves = nth(4, 'checkpoints.saveIfLeased');
      const dying = mortal(open(), { before: (name) => saves(name) });
      await start({ store: dying.store })
        .agent.send('Go', { sessionId: 'run' })
        .catch(() => undefined);
      await start().agent.resume('run');
      expect(seen).toHaveLength(2);
      expect(seen[0]).toEqual([{ bytes: new Uint8Array([0, 255]), nested: { list: [1, null, 'ü'] } }, null]);
      expect(seen[1]).toEqual(seen[0]);
      expect(seen[1]?.[0]).toHaveProperty('bytes', expect.any(Uint8Array));
    });

    it('whose work throws, or whose value cannot be kept, rejects and is not recorded', async () => {
      const { open } = newStorage();
      const errors: unknown[] = [];
      const book = async (_: unknown, { step }: ToolContext) => {
        const failing: readonly (() => unknown)[] = [
          () => {
            throw new RangeError('sold out');
          },
          async () => Promise.reject(new TypeError('no seat')),
          () => 10n,
          () => ({ at: new Date() }),
        ];
        for (const [index, work] of failing.entries())
          await step(`part ${index}`, work).catch((error: { code?: string; name: string }) =>
            errors.push(error.code ?? error.name),
          );
        return Object.keys((await open().checkpoints.load('run'))?.toolSteps ?? {});
      };
      const { start } = office(open, { turns: [calls('book'), 'done'], open: ['book'], does: { book } });
      const { messages } = await start().agent.send('Go', { sessionId: 'run' });
      expect(errors).toEqual(['RangeError', 'TypeError', 'LOUSHO_VALUE_INVALID', 'LOUSHO_VALUE_INVALID']);
      expect(resultOf(messages, 'book')).toEqual([]);
    });

    it('that failed may be tried again under its name within the call', async () => {
      const { open } = newStorage();
      let attempts = 0;
      const book = async (_: unknown, { step }: ToolContext) => {
        for (;;) {
          try {
            return await step('flight', () => {
              if (++attempts < 3) throw new Error('timeout');
              return 'booked';
            });
          } catch (error) {
            if ((error as Error).message !== 'timeout') throw error;
          }
        }
      };
      const { start } = office(open, { turns: [calls('book'), 'done'], open: ['book'], does: { book } });
      const { messages } = await start().agent.send('Go', { sessionId: 'run' });
      expect(resultOf(messages, 'book')).toBe('booked');
    });

    it('has a name of its own within the call: a second one is refused, at once and after the first', async () => {
      const { open } = newStorage();
      const done: string[] = [];
      const errors: unknown[] = [];
      const book = async (_: unknown, { step }: ToolContext) => {
        const note = (error: { code?: string }) => void errors.push(error.code);
        await Promise.all([
          step('flight', () => done.push('first')),
          step('flight', () => done.push('second')).catch(note),
        ]);
        await step('flight', () => done.push('third')).catch(note);
        for (const name of ['', 7 as unknown as string]) await step(name, () => done.push('bad')).catch(note);
        return 'done';
      };
      const { start } = office(open, { turns: [calls('book'), 'done'], open: ['book'], does: { book } });
      await start().agent.send('Go', { sessionId: 'run' });
      expect(done).toEqual(['first']);
      expect(errors).toEqual(Array(4).fill('LOUSHO_CONFIG_INVALID'));
    });

    it('is kept apart from those of other calls, also at once, also with names of the language itself', async () => {
      const { open } = newStorage();
      const done: string[] = [];
      const names = ['part', '__proto__', 'constructor', 'toString'];
      const work = async (_: unknown, { step, toolCallId }: ToolContext) => {
        const parts = await Promise.all(
          names.map((name) =>
            step(name, () => {
              done.push(`${toolCallId}.${name}`);
              return `${toolCallId}.${name}`;
            }),
          ),
        );
        return parts;
      };
      const { start } = office(open, {
        turns: [calls('a', 'b'), 'done'],
        open: ['a', 'b'],
        does: { a: work, b: work },
      });
      const saves = nth(9, 'checkpoints.saveIfLeased');
      const dying = mortal(open(), { after: (name) => saves(name) });
      await start({ store: dying.store })
        .agent.send('Go', { sessionId: 'run' })
        .catch(() => undefined);
      const kept = (await open().checkpoints.load('run'))?.toolSteps ?? {};
      const before = done.length;
      const result = await start().agent.resume('run');
      for (const id of ['a', 'b']) {
        expect(resultOf(result?.messages ?? [], id)).toEqual(names.map((name) => `${id}.${name}`));
        for (const name of Object.keys(kept[id] ?? {}))
          expect(done.slice(before)).not.toContain(`${id}.${name}`);
      }
      expect(Object.values(kept).flatMap((parts) => Object.keys(parts)).length).toBeGreaterThan(6);
    });

    it('A17 of two calls with one id in a turn is each its own', async () => {
      const { open } = newStorage();
      const done: string[] = [];
      const book = async (args: unknown, { step }: ToolContext) => {
        const { order } = args as { order: number };
        // The second one comes to its step when the first one has recorded its own.
        if (order === 2)
          for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
        const charged = await step('charge', () => {
          done.push(`order ${order}`);
          return `charged ${order}`;
        });
        if (order === 1)
          for (let turn = 0; turn < 100; turn++) await new Promise((resolve) => setImmediate(resolve));
        return charged;
      };
      const twice = [
        { id: 'same', tool: 'book', args: { order: 1 } },
        { id: 'same', tool: 'book', args: { order: 2 } },
      ];
      for (const toolConcurrency of [1, 'unbounded'] as const) {
        done.length = 0;
        const { start } = office(open, {
          turns: [twice, 'done'],
          open: ['book'],
          does: { book },
          toolConcurrency,
        });
        const { messages } = await start().agent.send('Go', { sessionId: `run-${toolConcurrency}` });
        expect(done.toSorted()).toEqual(['order 1', 'order 2']);
        const results = messages
          .filter(({ role }) => role === 'tool')
          .map(({ content }) => JSON.parse(content as string));
        expect(results.toSorted()).toEqual(['charged 1', 'charged 2']);
      }
    });

    it('is dropped when its call settles, and is not there for the next turn', async () => {
      const { open } = newStorage();
      const done: string[] = [];
      const { start } = office(open, {
        turns: [calls('book'), calls('book'), 'done'],
        open: ['book'],
        does: { book: trip(done) },
      });
      await start().agent.send('Go', { sessionId: 'run' });
      expect(done).toEqual(['flight', 'hotel', 'car', 'flight', 'hotel', 'car']);
      const entries = await open().checkpoints.history('run');
      const settled = entries.filter(({ checkpoint }) => checkpoint.messages.at(-1)?.role === 'tool');
      for (const { checkpoint } of settled) expect(checkpoint).not.toHaveProperty('toolSteps');
      const open1 = entries.filter(({ checkpoint }) => checkpoint.toolSteps);
      expect(open1.length).toBe(6);
    });

    it('does not begin, and records nothing, when the lease is lost', async () => {
      const { open } = newStorage();
      const done: string[] = [];
      let other: Promise<unknown> | undefined;
      const all = office(open, {
        turns: [calls('book'), 'done'],
        open: ['book'],
        does: { book: trip(done) },
      });
      const stalled = all.start({
        store: view(open()),
        does: {
          book: async (_, { step }) => {
            await step('flight', () => done.push('flight'));
            const { checkpoints } = open();
            const holder = await checkpoints.readLease('run');
            await checkpoints.releaseLease('run', holder?.owner ?? '');
            other = all.start({ store: view(open()) }).agent.resume('run');
            await other;
            // Nobody reads the lease in memory of a process that was taken over: its next record is refused.
            await step('hotel', () => done.push('late hotel'));
            await step('car', () => done.push('late car'));
            return 'late';
          },
        },
      });
      await expect(stalled.agent.send('Go', { sessionId: 'run' })).rejects.toMatchObject({
        code: 'LOUSHO_SESSION_BUSY',
      });
      const stored = (await open().checkpoints.load('run')) as Checkpoint;
      expect(stored.status).toBe('finished');
      expect(roles(stored.messages)).toBe('user assistant(book) tool(book) assistant');
      expect(JSON.stringify(stored)).not.toContain('late');
      expect(done).not.toContain('late car');
    });

    it('of a call that a person approved is recorded as well; the call itself is not run again', async () => {
      const { open } = newStorage();
      const done: string[] = [];
      const { start } = office(open, {
        turns: [calls('book'), 'done'],
        gated: ['book'],
        does: { book: trip(done) },
      });
      const { approvalId = '' } = await start().agent.send('Go', { sessionId: 'run' });
      const dying = mortal(open());
      await start({
        store: dying.store,
        does: {
          book: trip(done, (part) => {
            if (part === 'hotel') dying.kill();
          }),
        },
      })
        .agent.approvals.resolve({ id: approvalId, approved: true })
        .catch(() => undefined);
      const result = await start().agent.resume('run');
      expect(resultOf(result?.messages ?? [], 'book')).toMatchObject({ kind: 'interrupted' });
      expect(done).toEqual(['flight']);
    });

    it('is in the transcript of nobody: the model never sees it', async () => {
      const { open } = newStorage();
      const { start } = office(open, {
        turns: [calls('book'), 'done'],
        open: ['book'],
        does: { book: (_, { step }) => step('secret', () => 'hidden value').then(() => 'ok') },
      });
      const { agent, model } = start();
      await agent.send('Go', { sessionId: 'run' });
      expect(JSON.stringify(model.requests)).not.toContain('hidden value');
      expect(JSON.stringify(await open().checkpoints.load('run'))).not.toContain('hidden value');
    });

    it('that nobody waited for leaves a finished run finished', async () => {
      const { open } = newStorage();
      let settle: () => void = () => undefined;
      let dangling: Promise<unknown> | undefined;
      const { start } = office(open, {
        turns: [calls('book'), 'done'],
        open: ['book'],
        does: {
          book: (_, { step }) => {
            dangling = step('slow', () => new Promise<void>((resolve) => (settle = resolve))).catch(
              (error) => error,
            );
            return 'ok';
          },
        },
      });
      const store = view(open(), async (name, args, next) => {
        const isFinish = name === 'checkpoints.saveIfLeased' && (args[1] as Checkpoint).status === 'finished';
        if (!isFinish) return next();
        settle();
        await new Promise((resolve) => setImmediate(resolve));
        return next();
      });
      await start({ store }).agent.send('Go', { sessionId: 'run' });
      await dangling;
      expect((await open().checkpoints.load('run'))?.status).toBe('finished');
      expect((await open().checkpoints.load('run'))?.toolSteps).toBeUndefined();
    });
  });

  it('of a run without a session id runs its work', async () => {
    const done: string[] = [];
    const agent = createAgent({
      provider: scriptedModel([calls('book'), 'done']),
      tools: [
        defineTool({ name: 'book', description: 'book', input: z.looseObject({}), execute: trip(done) }),
      ],
    });
    const { messages } = await agent.send('Go');
    expect(done).toEqual(['flight', 'hotel', 'car']);
    expect(resultOf(messages, 'book')).toHaveLength(3);
  });

  it('of a turn of a session is kept with the turn', async () => {
    const { open } = newStorageOf('memory');
    const done: string[] = [];
    const store = diesAtSave(open(), 4);
    const { start } = office(open, {
      turns: [calls('book'), 'done'],
      open: ['book'],
      does: { book: trip(done) },
    });
    await start({ store: store })
      .agent.session({ id: 'chat' })
      .send('Go')
      .catch(() => undefined);
    const kept = Object.keys((await open().checkpoints.load('chat.turn-0'))?.toolSteps?.book ?? {});
    expect(kept.length).toBeGreaterThan(0);
    const before = done.length;
    await start().agent.session({ id: 'chat' }).resume();
    for (const part of kept) expect(done.slice(before)).not.toContain(part);
  });
});
