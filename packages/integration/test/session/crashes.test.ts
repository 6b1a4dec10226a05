import { type Agent, type AgentStore, createAgent, type Message } from '@lousho/core';
import { type CrashScenario, type CrashWorld, exploreCrashes } from '@lousho/core/testing';
import { describe, expect, it } from 'vitest';
import { roles } from '../approval/support/results.js';
import { calls, countingTool, scriptedModel, type Turn } from '../approval/support/workshop.js';
import { onFullStores } from '../harness/on-stores.js';
import type { Storage } from '../harness/store-kind.js';
import { strideOn } from '../harness/stride.js';

const isDeep = process.env.DEEP === '1';

/** Five turns: with one tool, without, with two calls at once, with two steps, and with the ids of earlier turns again. */
const SCRIPT: readonly Turn[] = [
  calls('a'),
  'one',
  'two',
  calls('a', 'b'),
  'three',
  calls('b'),
  calls('c'),
  'four',
  calls('c', 'a', 'b'),
  'five',
];
const INPUTS = ['First', 'Second', 'Third', 'Fourth', 'Fifth'];
const UNDISTURBED =
  'user assistant(a) tool(a) assistant user assistant user assistant(a,b) tool(a) tool(b) assistant ' +
  'user assistant(b) tool(b) assistant(c) tool(c) assistant user assistant(c,a,b) tool(c) tool(a) tool(b) assistant';

function scenarioOn(storage: () => Storage, effects: string[] = []): CrashScenario {
  return {
    sessionId: 'chat',
    as: 'session',
    turns: INPUTS.map((input) => ({ input })),
    openStorage: async () => {
      const { open } = storage();
      return { openStore: async () => open(), dispose: async () => undefined };
    },
    createAgent: (world, store) => agentOf(world, store, effects),
  };
}

function agentOf(world: CrashWorld, store: AgentStore, effects: string[]): Agent {
  const provider = scriptedModel(SCRIPT);
  return createAgent({
    provider: world.provider(provider),
    tools: world.tools(['a', 'b', 'c'].map((name) => countingTool({ name, effects }))),
    store,
    instructions: 'Be brief.',
    ports: { logger: { warn: () => undefined } },
  });
}

describe('a conversation of five turns whose process dies at any operation', () => {
  onFullStores((newStorage, kind) => {
    it('ends with the undisturbed transcript, repeats nothing that is stored, and leaves nothing unfinished', async () => {
      const storages: Storage[] = [];
      const scenario = scenarioOn(() => {
        const storage = newStorage();
        storages.push(storage);
        return storage;
      });
      let at = 0;
      const report = await exploreCrashes(scenario, { pick: () => at++ % strideOn(kind, 9) === 0 });
      expect(report.findings).toEqual([]);
      expect([report.repeatedModelCalls, report.repeatedTools]).toEqual([0, 0]);
      expect(roles(report.messages)).toBe(UNDISTURBED);
      expect(report.messages.filter(isUser).map(({ content }) => content)).toEqual(INPUTS);
      const names = new Set(report.operations.map(({ name }) => name));
      for (const name of [
        'sessions.saveIf',
        'checkpoints.delete',
        'checkpoints.saveIfLeased',
        'generate',
        'a',
      ])
        expect(names).toContain(name);
      expect(storages).toHaveLength(report.crashPoints + 1);
      for (const { open } of storages) {
        const unfinished = (await open().checkpoints.list()).filter(({ status }) => status !== 'finished');
        expect(unfinished.map(({ sessionId }) => sessionId)).toEqual([]);
        expect(await open().approvals.list()).toEqual([]);
      }
      if (isDeep)
        console.log(`${kind}: ${report.operations.length} operations, ${report.crashPoints} points`);
    });
  });
});

function isUser({ role }: Message): boolean {
  return role === 'user';
}
