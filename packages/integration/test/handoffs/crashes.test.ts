import { type AgentStore, createAgent, type RunUsage } from '@lousho/core';
import { type CrashReport, type CrashScenario, type CrashWorld, exploreCrashes } from '@lousho/core/testing';
import { describe, expect, it } from 'vitest';
import { roles } from '../approval/support/results.js';
import { calls, countingTool, scriptedModel, type Turn } from '../approval/support/workshop.js';
import { onFullStores } from '../harness/on-stores.js';
import type { Storage } from '../harness/store-kind.js';
import { strideOn } from '../harness/stride.js';
import { TRANSFER } from './support/desk.js';

const isDeep = process.env.DEEP === '1';

const BACK: Turn = [{ id: 'back', tool: 'transfer_to_triage' }];
const beside = (...turns: readonly Turn[]): Turn => turns.flatMap((turn) => turn as ReturnType<typeof calls>);

const SCENARIOS = {
  'a handoff after a tool': {
    turns: [calls('a'), TRANSFER, calls('b'), 'done'],
    messages: 'system user assistant(a) tool(a) assistant(h) tool(h) assistant(b) tool(b) assistant',
  },
  'a handoff beside tools of the lead': {
    turns: [beside(TRANSFER, calls('a', 'c')), calls('b'), 'done'],
    messages: 'system user assistant(h,a,c) tool(h) tool(a) tool(c) assistant(b) tool(b) assistant',
  },
  'there and back, with one transfer too many': {
    turns: [TRANSFER, beside(BACK, BACK), calls('a'), 'done'],
    messages:
      'system user assistant(h) tool(h) assistant(back,back_2) tool(back) tool(back_2) assistant(a) tool(a) assistant',
  },
} satisfies Record<string, { turns: readonly Turn[]; messages: string }>;

/** What the model bills for its n-th answer: another sum for each, so that one that is missing or counted twice shows. */
const billFor = (answer: number) => ({ inputTokens: 100 * 2 ** answer, outputTokens: 2 ** answer });

interface Explored {
  readonly report: CrashReport;
  readonly storages: readonly Storage[];
  readonly effects: readonly string[];
}

async function explore(
  turns: readonly Turn[],
  newStorage: () => Storage,
  { as, stride }: { readonly as: 'run' | 'session'; readonly stride: number },
): Promise<Explored> {
  const storages: Storage[] = [];
  const effects: string[] = [];
  let at = 0;
  const scenario: CrashScenario = {
    sessionId: 'crashing',
    as,
    turns: [{ input: 'Go' }],
    openStorage: async () => {
      const storage = newStorage();
      storages.push(storage);
      return { openStore: async () => storage.open(), dispose: async () => undefined };
    },
    createAgent: (world, store) => triageOf(world, store, turns, effects),
  };
  return { report: await exploreCrashes(scenario, { pick: () => at++ % stride === 0 }), storages, effects };
}

function triageOf(world: CrashWorld, store: AgentStore, turns: readonly Turn[], effects: string[]) {
  const provider = () =>
    world.provider(
      scriptedModel(
        turns,
        turns.map((_, answer) => billFor(answer)),
      ),
    );
  const tools = (...names: readonly string[]) =>
    world.tools(names.map((name) => countingTool({ name, effects })));
  const billing = createAgent({
    name: 'billing',
    provider: provider(),
    instructions: 'You know bills.',
    tools: tools('b'),
    handoffs: () => [triage],
  });
  const triage: ReturnType<typeof createAgent> = createAgent({
    name: 'triage',
    provider: provider(),
    instructions: 'You sort.',
    tools: tools('a', 'c'),
    handoffs: [billing],
    store,
    onAgentDrift: 'error',
    ports: { logger: { warn: () => undefined } },
  });
  return triage;
}

describe('a process that dies at any operation of a run that is handed over', () => {
  onFullStores((newStorage, kind) => {
    it.each(Object.entries(SCENARIOS))(
      'J4 %s: 0 findings, nothing repeated, and the usage is exactly what the model served',
      async (_, { turns, messages }) => {
        const { report, storages } = await explore(turns, newStorage, {
          as: 'run',
          stride: strideOn(kind, 1),
        });
        expect(report.findings).toEqual([]);
        expect([report.repeatedModelCalls, report.repeatedTools]).toEqual([0, 0]);
        expect(roles(report.messages)).toBe(messages);
        expect(storages).toHaveLength(report.crashPoints + 1);
        const usages = await Promise.all(storages.map(usageOf));
        expect(usages).toEqual(storages.map(() => served(turns)));
        if (isDeep)
          console.log(`${kind}: ${report.operations.length} operations, ${report.crashPoints} points`);
      },
    );

    it('J4 a handoff after a tool, in a turn of a session', async () => {
      const { turns, messages } = SCENARIOS['a handoff after a tool'];
      const { report, storages } = await explore(turns, newStorage, {
        as: 'session',
        stride: strideOn(kind, 1),
      });
      expect(report.findings).toEqual([]);
      expect([report.repeatedModelCalls, report.repeatedTools]).toEqual([0, 0]);
      expect(roles(report.messages)).toBe(messages.replace('system ', ''));
      for (const { open } of storages) {
        const unfinished = (await open().checkpoints.list()).filter(({ status }) => status !== 'finished');
        expect(unfinished.map(({ sessionId }) => sessionId)).toEqual([]);
      }
    });
  });
});

/** What the stored run says that it cost. */
async function usageOf({ open }: Storage): Promise<RunUsage | undefined> {
  return (await open().checkpoints.load('crashing'))?.usage;
}

/** One answer of each turn. */
function served(turns: readonly Turn[]): RunUsage {
  const bills = turns.map((_, answer) => billFor(answer));
  const inputTokens = bills.reduce((sum, bill) => sum + bill.inputTokens, 0);
  const outputTokens = bills.reduce((sum, bill) => sum + bill.outputTokens, 0);
  return { inputTokens, outputTokens, totalTokens: inputTokens + outputTokens, modelCalls: turns.length };
}
