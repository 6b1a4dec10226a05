import { promiseGranted, promiseSame } from '../../check/promise.js';
import { sentence } from '../../model/rule.js';
import { checkpoint, TTL } from '../../world/builders.js';
import { inEitherOrder } from '../in-either-order.js';
import { FENCED } from '../methods.js';

/** A save that is under way while its holder is replaced: what the successor has seen must stay true. */
export const fenceInFlight = sentence(
  'FENCE-04',
  'A holder that was replaced never saves again, whatever revision it passes.',
  {
    name: 'in-flight',
    needs: { methods: FENCED, fencing: ['atomic'], seams: ['clock'] },
    under: 'concurrency',
    check: async ({ open, advance, claims }) => {
      const [a, b] = [(await open()).checkpoints, (await open()).checkpoints];
      for (let round = 0; round < 12; round++) {
        const sessionId = `run-${round}`;
        const save = (revision: number, owner: string) =>
          checkpoint({ sessionId, revision, metadata: { owner } });
        const goOn = async () => {
          promiseGranted(
            'the rival takes the expired lease',
            await b.acquireLease(sessionId, 'worker-b', TTL),
          );
          const found = (await b.load(sessionId))?.revision ?? 0;
          const answer = await b.saveIfLeased(sessionId, save(found + 1, 'worker-b'), 'worker-b');
          promiseSame('the save of the rival', answer, true);
          return found;
        };
        await a.acquireLease(sessionId, 'worker-a', TTL);
        await a.saveIfLeased(sessionId, save(1, 'worker-a'), 'worker-a');
        await advance(TTL + claims.graceMs);
        const [late, found] = await inEitherOrder(
          round % 2 === 1,
          () => a.saveIfLeased(sessionId, save(2, 'worker-a'), 'worker-a'),
          goOn,
        );
        promiseSame(`the late save was answered ${late}; the rival finds revision`, found, late ? 2 : 1);
        const last = await a.load(sessionId);
        promiseSame('what is stored in the end was saved by', last?.metadata?.owner, 'worker-b');
      }
    },
  },
);
