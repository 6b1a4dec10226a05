import type { Checkpoint } from '@lousho/core';
import { describe, expect, it } from 'vitest';
import { roles } from '../approval/support/results.js';
import { calls } from '../approval/support/workshop.js';
import { deferred } from '../executor/support/deferred.js';
import { onFullStores } from '../harness/on-stores.js';
import { codeOf } from '../support/rejections.js';
import { diesAtSave } from './support/mortal-view.js';
import { asked, office } from './support/office.js';
import { type Around, view } from './support/view.js';

/** Does something right before the `n`-th operation of a name. */
function beforeNth(n: number, operation: string, act: () => Promise<unknown>): Around {
  let seen = 0;
  return async (name, _, next) => {
    if (name === operation && ++seen === n) await act();
    return next();
  };
}

const INTERRUPTED = { turns: [calls('a'), 'one', 'two', 'three'], open: ['a'] } as const;

describe('two replicas on one session', () => {
  onFullStores((newStorage) => {
    async function withInterruptedTurn() {
      const storage = newStorage();
      const all = office(storage.open, INTERRUPTED);
      const dead = diesAtSave(storage.open(), 2);
      await all
        .start({ store: dead })
        .agent.session({ id: 'chat' })
        .send('Go')
        .catch(() => undefined);
      all.effects.length = 0;
      return { ...storage, ...all };
    }

    it('H8 finish one turn at once: one does, one is told LOUSHO_SESSION_BUSY, one user message is stored', async () => {
      const { open, start, effects } = await withInterruptedTurn();
      const gate = deferred<void>();
      const slow = start({
        store: view(open()),
        does: {
          a: async () => {
            await gate.promise;
            return 'done';
          },
        },
      });
      const second = start({ store: view(open()) });
      const finishing = slow.agent.session({ id: 'chat' }).resume();
      await expect.poll(() => effects.length).toBe(1);
      expect(await codeOf(second.agent.session({ id: 'chat' }).resume())).toBe('LOUSHO_SESSION_BUSY');
      expect(await codeOf(second.agent.session({ id: 'chat' }).send('More'))).toBe('LOUSHO_SESSION_BUSY');
      expect(asked(second)).toBe(0);
      gate.resolve();
      expect((await finishing)?.text).toBe('one');
      expect(roles(await slow.agent.session({ id: 'chat' }).messages())).toBe(
        'user assistant(a) tool(a) assistant',
      );
      expect(effects).toEqual(['a']);
      expect(await second.agent.session({ id: 'chat' }).resume()).toBeNull();
    });

    it('H8 a resume that looked before another replica committed the turn finds nothing to do', async () => {
      const { open, start, effects } = await withInterruptedTurn();
      const first = start();
      const late = start({
        store: view(
          open(),
          // Its looks at the transcript and the turn are over.
          beforeNth(2, 'checkpoints.load', () => first.agent.session({ id: 'chat' }).resume()),
        ),
      });
      const outcome = await codeOf(late.agent.session({ id: 'chat' }).resume());
      expect(['none', 'LOUSHO_SESSION_BUSY']).toContain(outcome);
      expect(asked(late)).toBe(0);
      expect(effects).toEqual(['a']);
      expect(roles(await first.agent.session({ id: 'chat' }).messages())).toBe(
        'user assistant(a) tool(a) assistant',
      );
    });

    it('H10 a send that looked before another replica committed runs nothing on the transcript that it saw', async () => {
      for (const operation of ['checkpoints.acquireLease', 'checkpoints.load'] as const) {
        const { open } = newStorage();
        const { start, effects } = office(open, { turns: ['one', calls('a'), 'two'], open: ['a'] });
        const first = start();
        const late = start({
          turns: [calls('a'), 'late', calls('a'), 'two'],
          store: view(
            open(),
            beforeNth(1, operation, () => first.agent.session({ id: 'chat' }).send('First')),
          ),
        });
        const outcome = await codeOf(late.agent.session({ id: 'chat' }).send('Second'));
        const said = (await first.agent.session({ id: 'chat' }).messages())
          .filter(({ role }) => role === 'user')
          .map(({ content }) => content);
        if (outcome === 'none') {
          expect(said).toEqual(['First', 'Second']);
        } else {
          // Refused before anything runs: the caller may say it again, and nothing has happened yet.
          expect(outcome).toBe('LOUSHO_SESSION_BUSY');
          expect(said).toEqual(['First']);
          expect(asked(late)).toBe(0);
          expect(effects).toEqual([]);
        }
      }
    });

    it('D10 a turn that lost its lease and was finished elsewhere is not added to the transcript', async () => {
      const { open } = newStorage();
      const { start } = office(open, INTERRUPTED);
      const owner = start();
      const thief = start();
      let stolen = false;
      const stalled = start({
        store: view(open(), async (name, args, next) => {
          const isFinish = name === 'checkpoints.saveIfLeased' && (args[1] as Checkpoint).finishReason;
          if (isFinish && !stolen) {
            stolen = true;
            const { checkpoints } = open();
            const holder = await checkpoints.readLease('chat.turn-0');
            await checkpoints.releaseLease('chat.turn-0', holder?.owner ?? '');
            await thief.agent.session({ id: 'chat' }).resume();
          }
          return next();
        }),
      });
      expect(await codeOf(stalled.agent.session({ id: 'chat' }).send('Go'))).toBe('LOUSHO_SESSION_BUSY');
      expect(roles(await owner.agent.session({ id: 'chat' }).messages())).toBe(
        'user assistant(a) tool(a) assistant',
      );
      expect(await open().checkpoints.load('chat.turn-0')).toBeNull();
    });

    it('a commit whose reply is lost has happened once', async () => {
      const { open } = newStorage();
      const { start } = office(open, { turns: ['one', 'two'] });
      let isLost = false;
      const store = view(open(), async (name, _, next) => {
        const answer = await next();
        if (name !== 'sessions.saveIf' || isLost) return answer;
        isLost = true;
        throw new Error('connection reset');
      });
      await start({ store })
        .agent.session({ id: 'chat' })
        .send('Hello')
        .catch(() => undefined);
      const session = start().agent.session({ id: 'chat' });
      await session.resume();
      await session.send('More');
      expect(roles(await session.messages())).toBe('user assistant user assistant');
    });

    it('clear() while another replica runs a turn is refused with LOUSHO_SESSION_BUSY', async () => {
      const { open } = newStorage();
      const { start, effects } = office(open, { turns: ['zero', calls('a'), 'one'], open: ['a'] });
      const gate = deferred<void>();
      const busy = start({ store: view(open()), does: { a: () => gate.promise } });
      await busy.agent.session({ id: 'chat' }).send('Hello');
      const going = busy.agent.session({ id: 'chat' }).send('Go');
      await expect.poll(() => effects.length).toBe(1);
      const other = start({ store: view(open()) }).agent.session({ id: 'chat' });
      expect(await codeOf(other.clear())).toBe('LOUSHO_SESSION_BUSY');
      gate.resolve();
      expect((await going).text).toBe('one');
      expect(roles(await other.messages())).toBe('user assistant user assistant(a) tool(a) assistant');
      await other.clear();
      expect(await other.messages()).toEqual([]);
    });
  });
});
