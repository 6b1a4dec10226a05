import { transcriptFaults } from '@lousho/core/testing';
import { describe, expect, it } from 'vitest';
import { resultOf, roles } from '../approval/support/results.js';
import { calls } from '../approval/support/workshop.js';
import { newStorageOf, onFullStores } from '../harness/on-stores.js';
import { together } from '../harness/together.js';
import { codeOf } from '../support/rejections.js';
import { office } from './support/office.js';

const TURNS = { turns: [calls('a', 'b'), 'one', calls('c'), 'two', 'three'], open: ['a', 'b', 'c'] } as const;

describe('a fork of a conversation', () => {
  onFullStores((newStorage) => {
    async function conversation() {
      const storage = newStorage();
      const all = office(storage.open, TURNS);
      const session = all.start().agent.session({ id: 'chat' });
      await session.send('First');
      await session.send('Second');
      all.effects.length = 0;
      return { ...storage, ...all, session };
    }

    it('lists its steps', async () => {
      const { session } = await conversation();
      expect(await session.history()).toEqual([
        {
          step: 1,
          turn: 0,
          messageIndex: 1,
          text: '',
          toolCalls: [
            { id: 'a', name: 'a', args: {}, result: 'a done' },
            { id: 'b', name: 'b', args: {}, result: 'b done' },
          ],
        },
        { step: 2, turn: 0, messageIndex: 4, text: 'one', toolCalls: [] },
        {
          step: 3,
          turn: 1,
          messageIndex: 6,
          text: '',
          toolCalls: [{ id: 'c', name: 'c', args: {}, result: 'c done' }],
        },
        { step: 4, turn: 1, messageIndex: 8, text: 'two', toolCalls: [] },
      ]);
    });

    it('H12 has the transcript up to a step and goes its own way; the source is as it was', async () => {
      const { session, start, open, effects } = await conversation();
      const before = await open().sessions.load('chat');
      const fork = await session.fork({ fromStep: 2 });
      expect(fork.id).toBe('chat-fork-1');
      expect(roles(await fork.messages())).toBe('user assistant(a,b) tool(a) tool(b) assistant');
      const other = await start().agent.session({ id: 'chat' }).fork({ fromStep: 3 });
      expect(other.id).toBe('chat-fork-2');
      expect(roles(await other.messages())).toBe(
        'user assistant(a,b) tool(a) tool(b) assistant user assistant(c) tool(c)',
      );
      expect((await fork.send('Otherwise')).finishReason).toBe('stop');
      expect((await other.send('Otherwise')).finishReason).toBe('stop');
      for (const each of [fork, other]) expect(transcriptFaults(await each.messages())).toEqual([]);
      expect(await open().sessions.load('chat')).toEqual(before);
      expect(effects).toEqual(['c']);
    });

    it('H12 from step 0 is empty, and its id is taken', async () => {
      const { session } = await conversation();
      const fork = await session.fork({ fromStep: 0, id: 'fresh' });
      expect(await fork.messages()).toEqual([]);
      expect(await codeOf(session.fork({ fromStep: 0, id: 'fresh' }))).toBe('LOUSHO_SESSION_EXISTS');
    });

    it('H12 of a step that is not there is refused', async () => {
      const { session } = await conversation();
      for (const fromStep of [5, -1, 1.5, Number.NaN, undefined as unknown as number])
        expect(await codeOf(session.fork({ fromStep }))).toBe('LOUSHO_SESSION_STEP_NOT_FOUND');
    });

    it('H12 to an id that exists is refused, and that session is as it was', async () => {
      const { session, start, open } = await conversation();
      await start({ turns: ['hi'] })
        .agent.session({ id: 'other' })
        .send('Hello');
      const before = await open().sessions.load('other');
      for (const id of ['other', 'chat'])
        expect(await codeOf(session.fork({ fromStep: 1, id }))).toBe('LOUSHO_SESSION_EXISTS');
      expect(await codeOf(session.fork({ fromStep: 1, id: 'a.b' }))).toBe('LOUSHO_SESSION_ID_INVALID');
      expect(await open().sessions.load('other')).toEqual(before);
    });

    it('H12 to the id of a session whose first turn is still going on is refused', async () => {
      const { session, start } = await conversation();
      const waiting = start({ turns: [calls('g'), 'done'], gated: ['g'] }).agent.session({ id: 'waiting' });
      const { approvalId = '' } = await waiting.send('Hello');
      expect(await codeOf(session.fork({ fromStep: 1, id: 'waiting' }))).toBe('LOUSHO_SESSION_EXISTS');
      const { agent } = start({ turns: [calls('g'), 'done'], gated: ['g'] });
      await agent.approvals.resolve({ id: approvalId, approved: true });
      expect(roles(await waiting.messages())).toBe('user assistant(g) tool(g) assistant');
    });

    it('many forks at once have ids of their own', async () => {
      const { start, open } = await conversation();
      const forks = await together(
        open(),
        Array.from({ length: 8 }, () => () => start().agent.session({ id: 'chat' }).fork({ fromStep: 2 })),
      );
      expect(forks.map(({ id }) => id).toSorted()).toEqual(
        [1, 2, 3, 4, 5, 6, 7, 8].map((n) => `chat-fork-${n}`),
      );
    });

    it('can have another result of a call, in its place', async () => {
      const { session } = await conversation();
      const fork = await session.fork({
        fromStep: 1,
        patch: { toolResult: { toolCallId: 'a', result: { rain: true } } },
      });
      const messages = await fork.messages();
      expect(roles(messages)).toBe('user assistant(a,b) tool(a) tool(b)');
      expect(resultOf(messages, 'a')).toEqual({ rain: true });
      expect(resultOf(messages, 'b')).toBe('b done');
      expect(resultOf(await session.messages(), 'a')).toBe('a done');
      const unknown = { toolResult: { toolCallId: 'c', result: 1 } };
      expect(await codeOf(session.fork({ fromStep: 1, patch: unknown }))).toBe('LOUSHO_CONFIG_INVALID');
    });
  });

  it('H12 shortens an id that would be too long, with a hash, so that two long ids stay apart', async () => {
    const { open } = newStorageOf('memory');
    const { agent } = office(open, { turns: ['one'] }).start();
    const long = 'a'.repeat(127);
    const ids: string[] = [];
    for (const id of [`${long}b`, `${long}c`]) {
      const session = agent.session({ id });
      await session.send('Hi');
      ids.push((await session.fork({ fromStep: 1 })).id, (await session.fork({ fromStep: 1 })).id);
    }
    for (const id of ids) expect(id).toMatch(/^a+-[0-9a-f]{8}-fork-[12]$/);
    expect(ids.map((id) => id.length)).toEqual([128, 128, 128, 128]);
    expect(new Set(ids).size).toBe(4);
  });
});
