import { type AgentRun, createAgent, type LLMProvider, type ModelResponse } from '@lousho/core';
import { CrashWorld, EffectLedger, transcriptFaults } from '@lousho/core/testing';
import { memoryStore } from '@lousho/store-memory';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { countingTool } from '../approval/support/workshop.js';
import { view } from '../session/support/view.js';

const seed = Number(process.env.SEED ?? Date.now() % 2 ** 31);
const numRuns = process.env.DEEP === '1' ? 4_000 : 300;
const SESSION_ID = 'order-7';

const script = fc.record({
  /** Of each call of each turn: turns of the microtask queue that it takes. */
  turns: fc.array(fc.array(fc.nat(30), { minLength: 1, maxLength: 3 }), { maxLength: 3 }),
  toolConcurrency: fc.constantFrom(1, 2, 'unbounded' as const),
  /** Before which of the effects what is said. */
  says: fc.array(fc.record({ by: fc.constantFrom('enqueue' as const, 'steer' as const), at: fc.nat(25) }), {
    minLength: 1,
    maxLength: 3,
  }),
  crash: fc.option(
    fc.record({
      n: fc.integer({ min: 1, max: 30 }),
      side: fc.constantFrom('before' as const, 'after' as const),
    }),
  ),
});
type Script = typeof script extends fc.Arbitrary<infer T> ? T : never;

interface Said {
  readonly text: string;
  outcome: 'refused' | boolean | undefined;
}

describe(`anything said at any time (SEED=${seed})`, () => {
  it('and a crash, and somebody who resumes: valid, nothing lost, doubled, repeated, or started in spite of a steer', async () => {
    const seen = new Set<unknown>();
    await fc.assert(
      fc.asyncProperty(script, async (one) => {
        const { messages, usage, stepIndex, said, acknowledged, effects, ledger, hasCrashed } =
          await live(one);
        expect(transcriptFaults(messages)).toEqual([]);
        expect(ledger.invalidRequests).toEqual([]);
        expect([ledger.repeatedModelCalls, ledger.repeatedTools]).toEqual([0, 0]);
        for (const { text, outcome } of said) {
          const times = messages.filter(({ content }) => content === text).length;
          seen.add(outcome);
          expect(times).toBeLessThanOrEqual(1);
          if (outcome === 'refused') expect(times).toBe(0);
          if (outcome === true || acknowledged.has(text)) expect(times).toBe(1);
          if (!hasCrashed) expect(outcome).toBe(times === 1 ? true : 'refused');
        }
        const answers = messages.filter(({ role }) => role === 'assistant');
        expect(usage?.inputTokens).toBe(
          answers.reduce((sum, each) => sum + (each.usage?.inputTokens ?? 0), 0),
        );
        expect(usage?.modelCalls).toBeGreaterThanOrEqual(answers.length);
        expect(usage?.modelCalls).toBeLessThanOrEqual(stepIndex ?? 0);
        for (const { role, toolCallId = '', content } of messages) {
          if (role !== 'tool' || !String(content).includes('not-run')) continue;
          seen.add('withdrawn');
          expect(effects).not.toContain(toolCallId);
        }
      }),
      { seed, numRuns },
    );
    // The script reaches every way in which it can end.
    for (const outcome of [true, false, 'refused', 'withdrawn']) expect(seen).toContain(outcome);
  });
});

async function live({ turns, toolConcurrency, says, crash }: Script) {
  const store = memoryStore();
  const ledger = new EffectLedger();
  const effects: string[] = [];
  const said: Said[] = [];
  const acknowledged = new Set<string>();
  const first = new CrashWorld(ledger, crash ?? undefined);
  await life(first, says);
  if (first.hasCrashed) await life(new CrashWorld(ledger), []);
  const stored = await store.checkpoints.load(SESSION_ID);
  expect(stored?.status ?? 'finished').toBe('finished');
  const { messages = [], usage, stepIndex } = stored ?? { usage: { inputTokens: 0, modelCalls: 0 } };
  return { messages, usage, stepIndex, said, acknowledged, effects, ledger, hasCrashed: first.hasCrashed };

  async function life(world: CrashWorld, plan: Script['says']): Promise<void> {
    let run: AgentRun | undefined;
    let effect = 0;
    const ids = new Map<string, string>();
    const speak = (): void => {
      const at = effect++;
      for (const { by } of plan.filter((each) => each.at === at)) {
        if (!run || world.hasCrashed) continue;
        const one: Said = { text: `said ${said.length}`, outcome: undefined };
        said.push(one);
        const answer = run[by](one.text);
        ids.set(answer.id, one.text);
        if (answer.applied === false) one.outcome = 'refused';
        else
          void ('joined' in answer ? answer.joined : (answer.applied as Promise<boolean>)).then((was) => {
            one.outcome = was;
          });
      }
    };
    const around = async (_: string, __: readonly unknown[], next: () => Promise<unknown>) => {
      speak();
      const answer = await next();
      speak();
      return answer;
    };
    const provider: LLMProvider = {
      name: 'random',
      generate: async ({ messages }): Promise<ModelResponse> => {
        speak();
        await undefined;
        speak();
        const turn = messages.filter(({ role }) => role === 'assistant').length;
        const usage = { inputTokens: turn + 1, outputTokens: 1 };
        const toolCalls = (turns[turn] ?? []).map((ticks, index) => ({
          id: `${turn}.${index}`,
          type: 'function' as const,
          function: { name: 'work', arguments: JSON.stringify({ ticks }) },
        }));
        return toolCalls.length > 0 ? { toolCalls, usage } : { text: `answer ${turn}`, usage };
      },
    };
    const execute = async (args: unknown): Promise<string> => {
      speak();
      for (let tick = (args as { ticks: number }).ticks; tick > 0; tick--) await undefined;
      speak();
      return 'done';
    };
    const agent = createAgent({
      provider: world.provider(provider),
      tools: world.tools([countingTool({ name: 'work', effects, execute })]),
      store: world.store(view(store, around)),
      toolConcurrency,
      maxSteps: 50,
      ports: { logger: { warn: () => undefined } },
    });
    const stored = await store.checkpoints.load(SESSION_ID);
    if (stored?.status === 'finished') return;
    run = agent.stream(stored ? [] : 'Go', { sessionId: SESSION_ID });
    for await (const event of run) {
      if (event.type !== 'input.queued' && event.type !== 'input.steered') continue;
      acknowledged.add(ids.get(event.id) ?? '');
    }
    await run.result.catch((error: unknown) => {
      if (!world.hasCrashed) throw error;
    });
  }
}
