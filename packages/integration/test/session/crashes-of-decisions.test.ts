import { type Agent, type AgentStore, createAgent, SessionAwaitingApprovalError } from '@lousho/core';
import { type CrashWorld, transcriptFaults } from '@lousho/core/testing';
import { describe, expect, it } from 'vitest';
import { resultOf, roles } from '../approval/support/results.js';
import { calls, countingTool, scriptedModel, type Turn } from '../approval/support/workshop.js';
import { onFullStores } from '../harness/on-stores.js';
import { strideOn } from '../harness/stride.js';
import { explore } from './support/explore.js';

const isDeep = process.env.DEEP === '1';
const SCRIPT: readonly Turn[] = ['one', calls('a', 'g', 'h'), 'two', 'three'];
const INPUTS = ['First', 'Second', 'Third'];
const WANTED = 'user assistant user assistant(a,g,h) tool(a) tool(g) tool(h) assistant user assistant';

function agentOf(world: CrashWorld, store: AgentStore, effects: string[]): Agent {
  return createAgent({
    provider: world.provider(scriptedModel(SCRIPT)),
    tools: world.tools(
      ['a', 'g', 'h'].map((name) => countingTool({ name, effects, needsApproval: name !== 'a' })),
    ),
    store,
    ports: { logger: { warn: () => undefined } },
  });
}

/** A person and a program at one conversation: what waits is decided, what is interrupted is finished, what is unsaid is said. */
async function talk(agent: Agent): Promise<void> {
  const session = agent.session({ id: 'chat' });
  for (let look = 0; look < 20; look++) {
    try {
      await session.resume();
      const said = (await session.messages()).filter(({ role }) => role === 'user').length;
      const input = INPUTS[said];
      if (input === undefined) return;
      await session.send(input);
    } catch (error) {
      if (!(error instanceof SessionAwaitingApprovalError)) throw error;
      const pending = await session.pending();
      await agent.approvals.resolve({ id: pending?.approvalId ?? '', approved: true });
    }
  }
  throw new Error('the conversation did not come to its end');
}

describe('a conversation with a turn that two people decide, whose process dies at any operation', () => {
  onFullStores((newStorage, kind) => {
    it('ends whole: approved calls run at most once, nothing is left waiting, nothing is locked', async () => {
      let effects: string[] = [];
      const report = await explore({
        every: strideOn(kind, 9),
        // Whoever comes next dies as well, a little further each time.
        second: ({ n, side }) => ({ n: 1 + ((n * 7) % 31), side }),
        newStorage: () => {
          effects = [];
          return newStorage();
        },
        play: (world, store) => talk(agentOf(world, store, effects)),
        check: async ({ store, ledger, crashes }) => {
          const problems: string[] = [];
          const messages = (await store.sessions.load('chat'))?.messages ?? [];
          problems.push(...transcriptFaults(messages));
          if (roles(messages) !== WANTED) problems.push(`the transcript is ${roles(messages)}`);
          for (const id of ['g', 'h']) {
            const ran = effects.filter((effect) => effect === id).length;
            const result = resultOf(messages, id);
            const isInterrupted = (result as { kind?: string }).kind === 'interrupted';
            if (ran > 1) problems.push(`${id} ran ${ran} times`);
            if (!isInterrupted && (result !== `${id} done` || ran !== 1))
              problems.push(`${id}: ${JSON.stringify(result)}`);
            if (isInterrupted && crashes === 0) problems.push(`${id} was interrupted without a crash`);
          }
          if (ledger.repeatedModelCalls + ledger.repeatedTools > 0)
            problems.push('something stored was repeated');
          if ((await store.approvals.list()).length > 0) problems.push('approvals are left');
          const left = (await store.checkpoints.list()).filter(({ status }) => status !== 'finished');
          // The marker may outlive the pause; it locks nothing, as the send below shows.
          const unfinished = left.filter(({ sessionId }) => sessionId !== 'chat.paused');
          if (unfinished.length > 0)
            problems.push(`unfinished: ${unfinished.map(({ sessionId }) => sessionId)}`);
          const agent = createAgent({ provider: scriptedModel(['fine']), store });
          const free = await agent.send('Free?', { sessionId: 'chat' }).catch((error: Error) => error);
          if (free instanceof Error) problems.push(`the session is locked: ${free.message}`);
          return problems;
        },
      });
      expect(report.problems).toEqual([]);
      expect(report.operations.length).toBeGreaterThan(60);
      if (isDeep) console.log(`${report.operations.length} operations, ${report.explored} points`);
    });
  });
});
