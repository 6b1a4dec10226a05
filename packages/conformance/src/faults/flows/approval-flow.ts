import type { Agent } from '@lousho/core';
import { SDKError } from '@lousho/core/contract';
import { ANYTHING, scriptedModel } from './agent-parts.js';
import { type Flow, type FlowActor, RUN_ID } from './flow.js';
import { loadAgents } from './load-agents.js';
import { bystander } from './run-flows.js';

/** Asked, orphaned, asked anew, approved. */
const MAX_TRIES = 6;

export const approvalFlow: Flow = {
  name: 'F5',
  says: 'a run that asks a person, the decision, the approved call and its result (A59)',
  needs: [
    'checkpoints.history',
    'checkpoints.list',
    'checkpoints.acquireLease',
    'checkpoints.saveIfLeased',
    'approvals.decide',
  ],
  load: loadAgents,
  prepare: bystander,
  run: async (actor) => {
    const agent = await refundAgent(actor);
    try {
      for (let tries = 0; tries < MAX_TRIES && !(await isFinished(actor)); tries++) {
        const asked = await agent.approvals.list();
        if (asked.length === 0) await goOn(agent, actor);
        else await approve(agent, asked[0]?.id ?? '');
      }
      if (!(await isFinished(actor))) throw new Error('the run did not finish');
    } finally {
      await agent.close();
    }
  },
};

async function isFinished({ checkpoints }: FlowActor): Promise<boolean> {
  return (await checkpoints.load(RUN_ID))?.status === 'finished';
}

/** A process that died while it asked may have left a question of which its run knows nothing: it is withdrawn, and asked anew. */
async function approve(agent: Agent, id: string): Promise<void> {
  try {
    await agent.approvals.resolve({ id, approved: true });
  } catch (error) {
    if (!(error instanceof SDKError && error.code === 'LOUSHO_APPROVAL_ORPHANED')) throw error;
  }
}

async function goOn(agent: Agent, { checkpoints }: FlowActor) {
  const stored = await checkpoints.load(RUN_ID);
  return stored === null ? agent.send('Refund order 42', { sessionId: RUN_ID }) : agent.resume(RUN_ID);
}

async function refundAgent({ store, effect }: FlowActor): Promise<Agent> {
  const { createAgent, defineTool } = await loadAgents();
  const refund = defineTool({
    name: 'refund',
    description: 'Pays money back',
    input: ANYTHING,
    inputJsonSchema: { type: 'object' },
    needsApproval: true,
    execute: () => {
      effect('refund of order 42');
      return { refunded: 42 };
    },
  });
  return createAgent({
    provider: scriptedModel(['refund']),
    tools: [refund],
    store,
    ports: { logger: { warn: () => undefined } },
  });
}
