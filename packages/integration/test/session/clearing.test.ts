import { describe, expect, it } from 'vitest';
import { roles } from '../approval/support/results.js';
import { calls } from '../approval/support/workshop.js';
import { newStorageOf, onFullStores } from '../harness/on-stores.js';
import { strideOn } from '../harness/stride.js';
import { codeOf } from '../support/rejections.js';
import { diesAtSave, mortalView } from './support/mortal-view.js';
import { office } from './support/office.js';
import { view } from './support/view.js';

const TURNS = { turns: [calls('a'), 'one', 'two', calls('b'), 'three', 'four'], open: ['a', 'b'] } as const;
const KEYS = ['chat.turn-0', 'chat.turn-4', 'chat.turn-6', 'chat.turn-10'];

describe('an emptied session', () => {
  onFullStores((newStorage, kind) => {
    it('H6 after 3 turns has no checkpoint and no history of any turn left, and an old turn cannot be forked', async () => {
      const { open } = newStorage();
      const { agent } = office(open, TURNS).start();
      const session = agent.session({ id: 'chat' });
      for (const text of ['a', 'b', 'c']) await session.send(text);
      const { checkpoints } = open();
      for (const key of KEYS.slice(0, 3)) expect(await checkpoints.history(key)).not.toEqual([]);
      await session.clear();
      expect(await session.messages()).toEqual([]);
      expect(await session.history()).toEqual([]);
      for (const key of KEYS) {
        expect(await checkpoints.load(key)).toBeNull();
        expect(await checkpoints.history(key)).toEqual([]);
        expect(await codeOf(agent.fork(key, { fromStep: 1 }))).toBe('LOUSHO_CHECKPOINT_NOT_FOUND');
      }
      await session.clear();
      expect(session.id).toBe('chat');
    });

    it('H6 however often clear() dies, doing it again removes every turn', async () => {
      for (let n = 1; n < 30; n += strideOn(kind, 1)) {
        const { open } = newStorage();
        const { start } = office(open, TURNS);
        const session = start().agent.session({ id: 'chat' });
        for (const text of ['a', 'b', 'c']) await session.send(text);
        const dying = mortalView(open(), { before: (_, count) => count === n });
        const outcome = await codeOf(start({ store: dying.store }).agent.session({ id: 'chat' }).clear());
        await start().agent.session({ id: 'chat' }).clear();
        const { checkpoints, sessions } = open();
        expect((await sessions.load('chat'))?.messages ?? []).toEqual([]);
        for (const key of KEYS) expect([n, key, await checkpoints.history(key)]).toEqual([n, key, []]);
        if (outcome === 'none') return;
      }
      throw new Error('clear() never came to its end');
    });

    it('begins anew under its id, and an older object that knows the old transcript does not bring it back', async () => {
      const { open } = newStorage();
      const { start } = office(open, { turns: ['one', 'two'] });
      const old = start().agent.session({ id: 'chat' });
      await old.send('a');
      await start().agent.session({ id: 'chat' }).clear();
      await old.send('b');
      expect((await old.messages()).map(({ content }) => content)).toEqual(['b', 'one']);
    });

    it('clear() drops an interrupted turn', async () => {
      const { open } = newStorage();
      const { start } = office(open, TURNS);
      const dead = diesAtSave(open(), 2);
      await start({ store: dead })
        .agent.session({ id: 'chat' })
        .send('Go')
        .catch(() => undefined);
      const { agent } = start();
      const session = agent.session({ id: 'chat' });
      expect(await session.pending()).toEqual({ status: 'in-progress' });
      await session.clear();
      expect(await session.pending()).toBeNull();
      expect(await agent.pending()).toEqual([]);
      expect(await open().checkpoints.history('chat.turn-0')).toEqual([]);
    });

    it.each(['clear', 'discardPending', 'fork'] as const)(
      '%s() that cannot read the pending turn for now rejects, and leaves it and its approval as they are',
      async (call) => {
        const { open } = newStorage();
        const { start } = office(open, { turns: [calls('pay'), 'one'], gated: ['pay'] });
        await start().agent.session({ id: 'chat' }).send('Go');
        const failing = view(open(), (name, [key], next) => {
          if (name === 'checkpoints.load' && key === 'chat.turn-0') throw new Error('connection reset');
          return next();
        });
        const session = start({ store: failing }).agent.session({ id: 'chat' });
        await expect(call === 'fork' ? session.fork({ fromStep: 0 }) : session[call]()).rejects.toThrow();
        const { agent } = start();
        expect(await agent.pending()).toMatchObject([{ sessionId: 'chat', status: 'awaiting-approval' }]);
        expect(await agent.approvals.list()).toHaveLength(1);
      },
    );

    it('clear() and discardPending() of a session that was never used succeed', async () => {
      const { open } = newStorage();
      const { agent } = office(open, TURNS).start();
      const session = agent.session({ id: 'never' });
      await session.clear();
      await session.discardPending();
      expect(await session.pending()).toBeNull();
      expect(await session.resume()).toBeNull();
      expect(await session.messages()).toEqual([]);
    });

    it('a discarded turn is not in the transcript, and its tools are not run again', async () => {
      const { open } = newStorage();
      const { start, effects } = office(open, TURNS);
      const dead = diesAtSave(open(), 2);
      await start({ store: dead })
        .agent.session({ id: 'chat' })
        .send('Go')
        .catch(() => undefined);
      effects.length = 0;
      const session = start({ turns: ['fine'] }).agent.session({ id: 'chat' });
      await session.discardPending();
      await session.send('Other');
      expect(roles(await session.messages())).toBe('user assistant');
      expect(effects).toEqual([]);
    });
  });

  for (const way of ['clear', 'discardPending'] as const) {
    it(`E3 loses a turn that cannot be read by ${way}()`, async () => {
      const storage = newStorageOf('file');
      const { open } = storage;
      const { start } = office(open, TURNS);
      const dead = diesAtSave(open(), 2);
      await start({ store: dead })
        .agent.session({ id: 'chat' })
        .send('Go')
        .catch(() => undefined);
      storage.damage?.('chat.turn-0');
      const { agent } = start();
      const session = agent.session({ id: 'chat' });
      expect(await agent.pending()).toMatchObject([
        {
          sessionId: 'chat',
          kind: 'session',
          lastError: { code: 'LOUSHO_CHECKPOINT_CORRUPT', retryable: false },
        },
      ]);
      expect(await codeOf(session.send('More'))).toBe('LOUSHO_CHECKPOINT_CORRUPT');
      expect(await codeOf(session.resume())).toBe('LOUSHO_CHECKPOINT_CORRUPT');
      await session[way]();
      expect(await agent.pending()).toEqual([]);
      expect((await session.send('More')).finishReason).toBe('stop');
    });
  }
});
