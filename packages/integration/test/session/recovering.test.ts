import type { Agent } from '@lousho/core';
import { describe, expect, it, onTestFinished } from 'vitest';
import { roles } from '../approval/support/results.js';
import { calls } from '../approval/support/workshop.js';
import { onFullStores } from '../harness/on-stores.js';
import { diesAtSave, mortalView } from './support/mortal-view.js';
import { asked, office } from './support/office.js';

const INTERVAL_MS = 5;

/** A recovery loop that ends with the test, and what it told. */
function recovering(agent: Agent) {
  const told: string[] = [];
  const recovery = agent.recover({
    intervalMs: INTERVAL_MS,
    onRecovered: (run, result) => void told.push(`${run.kind} ${run.sessionId}: ${result.text}`),
    onError: (error, run) => void told.push(`${run?.sessionId} failed: ${error}`),
  });
  onTestFinished(() => recovery.stop());
  return { told, recovery };
}

describe('the turns of sessions among all that is pending', () => {
  onFullStores((newStorage) => {
    const TURNS = { turns: [calls('a'), 'one', 'two'], open: ['a'], gated: ['g'] } as const;

    async function die(
      store: ReturnType<ReturnType<typeof newStorage>['open']>,
      all: ReturnType<typeof office>,
    ) {
      const dead = diesAtSave(store, 2);
      await all
        .start({ store: dead })
        .agent.session({ id: 'crashed' })
        .send('Go')
        .catch(() => undefined);
    }

    it('E1 a crashed and a paused session are listed in id order beside runs, finished ones and locks are not', async () => {
      const { open } = newStorage();
      const all = office(open, TURNS);
      await die(open(), all);
      await all
        .start({ turns: [calls('g'), 'one'] })
        .agent.session({ id: 'paused' })
        .send('Go');
      await all
        .start({ turns: ['one'] })
        .agent.session({ id: 'finished' })
        .send('Go');
      const { agent } = all.start({ turns: [calls('g'), 'one'] });
      await agent.send('Go', { sessionId: 'run' });
      expect(await agent.pending()).toMatchObject([
        { sessionId: 'crashed', kind: 'session', checkpointId: 'crashed.turn-0', status: 'in-progress' },
        { sessionId: 'paused', kind: 'session', checkpointId: 'paused.turn-0', status: 'awaiting-approval' },
        { sessionId: 'run', kind: 'run', checkpointId: 'run', status: 'awaiting-approval' },
      ]);
    });

    it('E6 recover() finishes the interrupted turn, commits it, and leaves the paused one alone', async () => {
      const { open } = newStorage();
      const all = office(open, TURNS);
      await die(open(), all);
      await all
        .start({ turns: [calls('g'), 'one'] })
        .agent.session({ id: 'paused' })
        .send('Go');
      const { agent } = all.start();
      const { told } = recovering(agent);
      await expect.poll(() => told).toEqual(['session crashed: one']);
      expect(roles(await agent.session({ id: 'crashed' }).messages())).toBe(
        'user assistant(a) tool(a) assistant',
      );
      await expect.poll(async () => (await agent.pending()).map((run) => run.sessionId)).toEqual(['paused']);
      expect(await agent.approvals.list()).toHaveLength(1);
      expect(told).toEqual(['session crashed: one']);
    });

    it('E10 stop() in the middle of a turn leaves it in progress for the next start, and commits nothing', async () => {
      const { open } = newStorage();
      const all = office(open, TURNS);
      await die(open(), all);
      const slow = all.start({
        does: {
          a: (_, { signal }) =>
            new Promise((_done, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
        },
      });
      all.effects.length = 0;
      const { recovery, told } = recovering(slow.agent);
      await expect.poll(() => all.effects.length).toBe(1);
      await recovery.stop();
      expect(told).toEqual([]);
      expect((await open().checkpoints.load('crashed.turn-0'))?.status).toBe('in-progress');
      expect(await open().sessions.load('crashed')).toBeNull();
      const next = all.start();
      expect((await next.agent.resume('crashed'))?.finishReason).toBe('stop');
      expect(await next.agent.session({ id: 'crashed' }).pending()).toBeNull();
    });

    it('E2 a turn that was committed by an abort whose process died is not pending for ever', async () => {
      for (let n = 1; n < 40; n++) {
        const { open } = newStorage();
        const all = office(open, TURNS);
        const stop = new AbortController();
        const dying = mortalView(open(), { before: (_, count) => count === n });
        const first = all.start({
          store: dying.store,
          does: {
            a: () => {
              stop.abort();
              return 'done';
            },
          },
        });
        const sent = await first.agent
          .session({ id: 'chat' })
          .send('Go', { signal: stop.signal })
          .catch(() => undefined);
        const next = all.start();
        await next.agent.resume('chat');
        expect([n, await next.agent.pending()]).toEqual([n, []]);
        await next.agent.session({ id: 'chat' }).send('More');
        expect([n, await next.agent.pending()]).toEqual([n, []]);
        if (sent) return;
      }
      throw new Error('the turn never came to its end');
    });

    it('E4 a turn that fails for good is left alone by recover()', async () => {
      const { open } = newStorage();
      const refused = Object.assign(new Error('bad request'), { status: 400 });
      const all = office(open, { turns: [calls('a'), refused], open: ['a'] });
      await all
        .start()
        .agent.session({ id: 'bad' })
        .send('Go')
        .catch(() => undefined);
      const other = all.start();
      const { told } = recovering(other.agent);
      for (let look = 0; look < 5; look++) await new Promise((resolve) => setTimeout(resolve, INTERVAL_MS));
      expect(told).toEqual([]);
      expect(asked(other)).toBe(0);
      expect(await other.agent.pending()).toMatchObject([{ sessionId: 'bad', attempts: 1 }]);
    });
  });
});
