import { scriptedModel } from './agent-parts.js';
import { type Flow, RUN_ID } from './flow.js';
import { loadAgents } from './load-agents.js';
import { bystander } from './run-flows.js';
import { saveOn, take } from './steps.js';

const FORK_ID = 'refund-42-fork';

export const forkFlow: Flow = {
  name: 'F6',
  says: 'a fork of an earlier step of a run, which then goes on to its end',
  needs: [
    'checkpoints.history',
    'checkpoints.list',
    'checkpoints.acquireLease',
    'checkpoints.releaseLease',
    'checkpoints.saveIfLeased',
  ],
  load: loadAgents,
  prepare: async (actor) => {
    await bystander(actor);
    await take(actor, RUN_ID);
    await saveOn(actor, RUN_ID, 3);
    await actor.checkpoints.releaseLease(RUN_ID, actor.owner);
  },
  run: async ({ store, checkpoints }) => {
    const quiet = { logger: { warn: () => undefined } };
    const { createAgent } = await loadAgents();
    const agent = createAgent({ provider: scriptedModel([]), store, ports: quiet });
    try {
      if ((await checkpoints.load(FORK_ID)) === null)
        await agent.fork(RUN_ID, { fromStep: 2, newSessionId: FORK_ID });
      await agent.resume(FORK_ID);
      const status = (await checkpoints.load(FORK_ID))?.status;
      if (status !== 'finished') throw new Error(`the fork is ${status}`);
    } finally {
      await agent.close();
    }
  },
};
