import { type Agent, type AgentStore, ConfigurationError, createAgent } from '@lousho/core';
import { type CrashWorld, transcriptFaults } from '@lousho/core/testing';
import { describe, expect, it } from 'vitest';
import { resultOf, roles } from '../approval/support/results.js';
import { calls, countingTool, scriptedModel } from '../approval/support/workshop.js';
import { onFullStores } from '../harness/on-stores.js';
import { strideOn } from '../harness/stride.js';
import { explore } from '../session/support/explore.js';

const isDeep = process.env.DEEP === '1';
const TRIP = 'user assistant(weather) tool(weather) assistant(book) tool(book) assistant';

function agentOf(world: CrashWorld, store: AgentStore, effects: string[]): Agent {
  const tools = ['weather', 'book'].map((name) =>
    countingTool({
      name,
      effects,
      execute: (_, { sessionId }) => {
        effects[effects.length - 1] = `${sessionId} ${name}`;
        return `${name} done`;
      },
    }),
  );
  return createAgent({
    provider: world.provider(scriptedModel([calls('weather'), calls('book'), 'done'])),
    tools: world.tools(tools),
    store,
    ports: { logger: { warn: () => undefined } },
  });
}

/** A trip, and at once with its end what would have been if it had rained. */
async function plan(agent: Agent): Promise<void> {
  await agent.send('Plan', { sessionId: 'trip', ifAbsent: true });
  await agent
    .fork('trip', {
      fromStep: 1,
      newSessionId: 'what-if',
      patch: { toolResult: { toolCallId: 'weather', result: 'rain' } },
    })
    .catch((error: unknown) => {
      // Made before the process died.
      if (!(error instanceof ConfigurationError)) throw error;
    });
  await agent.resume('what-if');
}

describe('a fork beside its source, whose process dies at any operation', () => {
  onFullStores((newStorage, kind) => {
    it('both end whole, each with its own results, and no recorded call runs again', async () => {
      let effects: string[] = [];
      const report = await explore({
        every: strideOn(kind, 7),
        newStorage: () => {
          effects = [];
          return newStorage();
        },
        play: (world, store) => plan(agentOf(world, store, effects)),
        check: async ({ store, crashes }) => {
          const problems: string[] = [];
          for (const [id, weather] of [
            ['trip', 'weather done'],
            ['what-if', 'rain'],
          ] as const) {
            const stored = await store.checkpoints.load(id);
            const messages = stored?.messages ?? [];
            problems.push(...transcriptFaults(messages));
            if (stored?.status !== 'finished' || roles(messages) !== TRIP)
              problems.push(`${id}: ${stored?.status} ${roles(messages)}`);
            if (resultOf(messages, 'weather') !== weather) problems.push(`${id} saw other weather`);
          }
          const count = (effect: string) => effects.filter((each) => each === effect).length;
          if (count('what-if weather') > 0) problems.push('the patched call ran');
          for (const effect of ['trip weather', 'trip book', 'what-if book'])
            if (count(effect) < 1 || count(effect) > 1 + crashes)
              problems.push(`${effect}: ${count(effect)}`);
          if (effects.length > 3 + crashes)
            problems.push(`more than the call that was cut off ran again: ${effects}`);
          return problems;
        },
      });
      expect(report.problems).toEqual([]);
      expect(report.operations.length).toBeGreaterThan(25);
      if (isDeep) console.log(`${report.operations.length} operations, ${report.explored} points`);
    });
  });
});
