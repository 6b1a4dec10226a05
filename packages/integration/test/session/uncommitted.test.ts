import { describe, expect, it } from 'vitest';
import { roles } from '../approval/support/results.js';
import { calls } from '../approval/support/workshop.js';
import { deferred } from '../executor/support/deferred.js';
import { onFullStores } from '../harness/on-stores.js';
import { codeOf } from '../support/rejections.js';
import { mortalView } from './support/mortal-view.js';
import { asked, office } from './support/office.js';
import { view } from './support/view.js';

const YEAR_MS = 365 * 86_400_000;
const TURNS = { turns: [calls('a'), 'one', 'two'], open: ['a'] };

describe('a turn that has finished', () => {
  onFullStores((newStorage) => {
    /** A conversation whose first turn is done, and whose process died before, or right behind, the commit. */
    async function died(when: 'before' | 'after') {
      const storage = newStorage();
      const all = office(() => storage.open(), TURNS);
      const dying = mortalView(storage.open(), { [when]: (name: string) => name === 'sessions.saveIf' });
      await expect(
        all.start({ store: dying.store }).agent.session({ id: 'chat' }).send('Go'),
      ).rejects.toThrow();
      return { storage, all };
    }

    it('and was not committed is not pruned, however old: the next send has it in the transcript', async () => {
      const { storage, all } = await died('before');
      storage.clock.advance(2 * YEAR_MS);
      await storage.open().prune({ olderThanMs: YEAR_MS });
      const { agent } = all.start();
      expect((await agent.session({ id: 'chat' }).send('More')).text).toBe('two');
      expect(roles(await agent.session({ id: 'chat' }).messages())).toBe(
        'user assistant(a) tool(a) assistant user assistant',
      );
      expect(all.effects).toEqual(['a']);
    });

    it('and was not committed is pending for recover(), which commits it; the session itself has nothing to run', async () => {
      const { storage, all } = await died('before');
      const next = all.start();
      const session = next.agent.session({ id: 'chat' });
      expect(await next.agent.pending()).toMatchObject([{ sessionId: 'chat', kind: 'session' }]);
      expect(await session.pending()).toBeNull();
      const recovery = next.agent.recover();
      await expect.poll(() => session.messages()).toHaveLength(4);
      await recovery.stop();
      expect(await next.agent.pending()).toEqual([]);
      expect(await storage.open().checkpoints.load('chat.turn-0')).toBeNull();
      expect([asked(next), all.effects]).toEqual([0, ['a']]);
    });

    it('and was committed by a process that died behind it leaves nothing that stays pending', async () => {
      const { storage, all } = await died('after');
      const next = all.start();
      expect((await next.agent.session({ id: 'chat' }).send('More')).text).toBe('two');
      expect(await next.agent.resume('chat')).toBeNull();
      expect(await next.agent.pending()).toEqual([]);
      expect(await storage.open().checkpoints.load('chat.turn-0')).toBeNull();
      expect((await storage.open().checkpoints.history('chat.turn-0')).length).toBeGreaterThan(0);
    });

    it('and was begun again behind a clear() is not taken for the one that was left', async () => {
      const { storage, all } = await died('after');
      let isCleared = false;
      const late = all.start({
        store: view(storage.open(), async (name, [key], next) => {
          if (name === 'checkpoints.acquireLease' && key === 'chat.turn-0' && !isCleared) {
            isCleared = true;
            await all.start().agent.session({ id: 'chat' }).clear();
            const dying = mortalView(storage.open(), {
              before: (operation) => operation === 'sessions.saveIf',
            });
            const again = all.start({ store: dying.store }).agent.session({ id: 'chat' }).send('Again');
            await expect(again).rejects.toThrow();
          }
          return next();
        }),
      });
      expect(await late.agent.resume('chat')).toBeNull();
      expect(isCleared).toBe(true);
      const { agent } = all.start();
      await agent.session({ id: 'chat' }).send('More');
      expect(roles(await agent.session({ id: 'chat' }).messages())).toBe(
        'user assistant(a) tool(a) assistant user assistant',
      );
    });

    it('is removed from a store that lists without heads as well', async () => {
      const { storage, all } = await died('after');
      const store = storage.open();
      const checkpoints = new Proxy(store.checkpoints, {
        get: (target, key) => {
          const value: unknown = key === 'listPending' ? undefined : Reflect.get(target, key, target);
          return typeof value === 'function' ? value.bind(target) : value;
        },
      });
      const { agent } = all.start({ store: { ...store, checkpoints, sessions: store.sessions } });
      expect(await agent.pending()).toHaveLength(1);
      await agent.resume('chat');
      expect(await agent.pending()).toEqual([]);
    });

    it('and lost the transcript to another one is not added, and does not stay pending', async () => {
      const { storage, all } = await died('before');
      await storage.open().sessions.saveIf('chat', 0, [
        { role: 'user', content: 'Other' },
        { role: 'assistant', content: 'way' },
      ]);
      const next = all.start();
      expect(await next.agent.resume('chat')).toBeNull();
      expect(await next.agent.pending()).toEqual([]);
      expect(roles(await next.agent.session({ id: 'chat' }).messages())).toBe('user assistant');
    });
  });
});

describe('a turn that waits for a person', () => {
  onFullStores((newStorage) => {
    it('and that the conversation went past is decided with LOUSHO_SESSION_BUSY: it is not added', async () => {
      const storage = newStorage();
      const { start } = office(() => storage.open(), { turns: [calls('pay'), 'one'], gated: ['pay'] });
      const { agent } = start();
      const { approvalId: id = '' } = await agent.session({ id: 'chat' }).send('Go');
      await storage.open().sessions.saveIf('chat', 0, [
        { role: 'user', content: 'Other' },
        { role: 'assistant', content: 'way' },
      ]);
      expect(await codeOf(agent.approvals.resolve({ id, approved: true }))).toBe('LOUSHO_SESSION_BUSY');
      expect(roles(await agent.session({ id: 'chat' }).messages())).toBe('user assistant');
    });
  });
});

describe('while a turn goes on', () => {
  onFullStores((newStorage) => {
    it('a fork of the session is refused with LOUSHO_SESSION_BUSY, here and on another replica', async () => {
      const storage = newStorage();
      const { start } = office(() => storage.open(), { ...TURNS, turns: ['zero', ...TURNS.turns] });
      const begun = deferred<void>();
      const gate = deferred<void>();
      const busy = start({
        store: view(storage.open()),
        does: {
          a: () => {
            begun.resolve();
            return gate.promise;
          },
        },
      });
      const here = busy.agent.session({ id: 'chat' });
      await here.send('Hello');
      const going = here.send('Go');
      await begun.promise;
      const there = start({ store: view(storage.open()) }).agent.session({ id: 'chat' });
      for (const session of [here, there])
        expect(await codeOf(session.fork({ fromStep: 1 }))).toBe('LOUSHO_SESSION_BUSY');
      gate.resolve();
      await going;
      const fork = await there.fork({ fromStep: 1 });
      expect(roles(await fork.messages())).toBe('user assistant');
    });

    it('is finished by somebody else’s send with its own metadata', async () => {
      const storage = newStorage();
      const seen: unknown[] = [];
      const note = (_: unknown, { metadata }: { readonly metadata?: unknown }) => {
        seen.push(metadata);
        return 'done';
      };
      const all = office(() => storage.open(), { ...TURNS, turns: [calls('a'), 'one', calls('a'), 'two'] });
      const died = mortalView(storage.open(), {
        after: (name) => name === 'checkpoints.saveIfLeased',
      });
      await expect(
        all
          .start({ store: died.store })
          .agent.session({ id: 'chat' })
          .send('Go', { metadata: { from: 'mail' } }),
      ).rejects.toThrow();
      const { agent } = all.start({ does: { a: note as never } });
      await agent.session({ id: 'chat' }).send('More', { metadata: { from: 'web' } });
      expect(seen).toEqual([{ from: 'mail' }, { from: 'web' }]);
    });
  });
});
