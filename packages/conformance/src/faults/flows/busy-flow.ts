import { SDKError } from '@lousho/core/contract';
import { ANYTHING, scriptedModel } from './agent-parts.js';
import { type Flow, RUN_ID } from './flow.js';
import { loadAgents } from './load-agents.js';
import { bystander } from './run-flows.js';

/** No kill sweep runs it: its process stands still in the middle. */
export const busyFlow: Flow = {
  name: 'busy',
  says: 'a run whose tool blocks the event loop, so that no heartbeat is sent (A02)',
  needs: ['checkpoints.acquireLease', 'checkpoints.saveIfLeased', 'checkpoints.history', 'checkpoints.list'],
  load: loadAgents,
  prepare: bystander,
  run: async ({ store, effect, note, block }) => {
    const { createAgent, defineTool } = await loadAgents();
    const compute = (name: string) =>
      defineTool({
        name,
        description: 'Computes for long',
        input: ANYTHING,
        inputJsonSchema: { type: 'object' },
        execute: () => {
          effect(name);
          block();
          return { done: true };
        },
      });
    const tools = [compute('first'), compute('second')];
    const quiet = { logger: { warn: () => undefined } };
    const agent = createAgent({ provider: scriptedModel(['first', 'second']), tools, store, ports: quiet });
    try {
      const { finishReason } = await agent.send('Compute', { sessionId: RUN_ID });
      note(`came to ${finishReason}`);
    } catch (error) {
      note(`rejected with ${error instanceof SDKError ? error.code : String(error)}`);
    } finally {
      await agent.close();
    }
  },
};
