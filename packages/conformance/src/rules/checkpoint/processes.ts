import { errorOf, promiseSame } from '../../check/promise.js';
import { show } from '../../check/show.js';
import { sentence } from '../../model/rule.js';
import { checkpoint } from '../../world/builders.js';
import { BASIC } from '../methods.js';

/** Nobody hears of a lock that another process holds. */
export const checkpointProcesses = sentence(
  'CHECKPOINT-13',
  'Saves of different ids that run at the same time are all stored.',
  {
    name: 'processes',
    tier: 1,
    needs: { methods: BASIC, reach: ['host', 'network'], seams: ['processes'] },
    under: 'concurrency',
    check: async ({ elsewhere }) => {
      const processes = await Promise.all([elsewhere(), elsewhere(), elsewhere(), elsewhere()]);
      const saves = processes.flatMap(({ checkpoints }, own) =>
        Array.from({ length: 25 }, (_, index) => {
          const sessionId = `run-${own}-${index}`;
          return { sessionId, save: () => checkpoints.save(sessionId, checkpoint({ sessionId })) };
        }),
      );
      const errors = await Promise.all(saves.map(({ save }) => errorOf(save)));
      promiseSame('the saves that fail are', errors.filter(Boolean).map(show), []);
      const [{ checkpoints }] = processes;
      const loaded = await Promise.all(saves.map(({ sessionId }) => checkpoints.load(sessionId)));
      const stored = loaded.map((found) => found?.sessionId);
      promiseSame(
        'what another process loads is',
        stored,
        saves.map(({ sessionId }) => sessionId),
      );
    },
  },
);
