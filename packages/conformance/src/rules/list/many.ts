import { promise, promiseSame } from '../../check/promise.js';
import { same } from '../../check/same.js';
import { sentence } from '../../model/rule.js';
import { checkpoint } from '../../world/builders.js';
import { BASIC } from '../methods.js';

/** More than what is commonly one page of what lies below. */
const COUNT = 1_050;

export const listMany = sentence(
  'LIST-01',
  '`list` gives the latest checkpoint of every id, by id in code-point order.',
  {
    name: 'many',
    // Each id is a record of its own to a server that other rules ask meanwhile.
    timeLimitMs: 90_000,
    needs: { methods: [...BASIC, 'checkpoints.list'], noLimits: ['maxWritesPerKeyPerSecond'] },
    check: async ({ open }) => {
      const { checkpoints } = await open();
      const ids = Array.from({ length: COUNT }, (_, index) => `run-${String(index).padStart(5, '0')}`);
      for (let at = 0; at < COUNT; at += 50) {
        await Promise.all(
          ids.slice(at, at + 50).map((sessionId) => checkpoints.save(sessionId, checkpoint({ sessionId }))),
        );
      }
      const listed = (await checkpoints.list()).map(({ sessionId }) => sessionId);
      promiseSame(`of ${COUNT} ids are listed`, listed.length, COUNT);
      promise('they are the saved ones, in order', same(listed, ids), 'others, or another order');
    },
  },
);
