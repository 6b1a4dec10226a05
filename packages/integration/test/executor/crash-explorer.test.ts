import { type AgentStore, type Checkpoint, createAgent, type LLMProvider } from '@lousho/core';
import {
  type CrashScenario,
  type CrashStorage,
  type CrashWorld,
  exploreCrashes,
  mockModel,
} from '@lousho/core/testing';
import { memoryStore } from '@lousho/store-memory';
import { describe, expect, it } from 'vitest';
import { type StoreMethod, viewOf } from './support/store-view.js';
import { calls, tool } from './support/tools.js';

type Around = (method: StoreMethod, args: readonly unknown[], next: () => Promise<unknown>) => unknown;

/** A storage whose clients misbehave; each client gets its own `around`, as each process has its own memory. */
function faultyStorage(newAround: () => Around): () => Promise<CrashStorage> {
  return async () => {
    const store = memoryStore();
    return {
      openStore: async () => ({ checkpoints: viewOf(store.checkpoints, { around: newAround() }) }),
      dispose: () => store.close(),
    };
  };
}

const honest: () => Around = () => (_method, _args, next) => next();

function scenario(
  openStorage: () => Promise<CrashStorage> = faultyStorage(honest),
  fields: Partial<CrashScenario> = {},
): CrashScenario {
  return {
    sessionId: 'order-7',
    turns: [{ input: 'Go' }, { input: 'Once more' }],
    openStorage,
    createAgent: (world, store) => createAgent(scripted(world, store, SCRIPT)),
    ...fields,
  };
}

const SCRIPT = [calls('a', 'b'), calls('a'), 'Done.', calls('b'), 'Done again.'];

/** A model that answers by what has been answered, so that a second process goes on where the first one died. */
function byPosition(script: Parameters<typeof mockModel>[0]): LLMProvider {
  return {
    name: 'scripted',
    generate: async (request) => {
      const due = request.messages.filter((message) => message.role === 'assistant').length;
      return mockModel(script.slice(due)).generate(request);
    },
  };
}

function streamed(provider: LLMProvider): LLMProvider {
  return {
    ...provider,
    stream: async function* (request) {
      const response = await provider.generate(request);
      yield { type: 'text-delta', delta: response.text ?? '' };
      yield { type: 'finish', response };
    },
  };
}

function scripted(world: CrashWorld, store: AgentStore, script: Parameters<typeof mockModel>[0]) {
  return {
    provider: world.provider(byPosition(script)),
    tools: world.tools([tool('a'), tool('b')]),
    store,
    ports: { logger: { warn: () => undefined } },
  };
}

describe('exploreCrashes', () => {
  it('tries every operation before and after, and finds nothing on an honest store', async () => {
    const progress: string[] = [];
    const report = await exploreCrashes(scenario(), {
      onPoint: (done, total) => progress.push(`${done}/${total}`),
    });
    expect(report.findings).toEqual([]);
    expect([report.repeatedModelCalls, report.repeatedTools]).toEqual([0, 0]);
    expect(report.crashPoints).toBe(report.operations.length * 2);
    expect(progress.at(-1)).toBe(`${report.crashPoints}/${report.crashPoints}`);
    expect(count(report.operations.map(({ kind }) => kind))).toMatchObject({ model: 5, tool: 4 });
    expect(report.messages).toHaveLength(11);
  });

  it('a tool or a model call that fails has happened too: the process dies after it as after any other', async () => {
    const failing = scenario(undefined, {
      turns: [{ input: 'Go' }],
      createAgent: (world, store) =>
        createAgent({
          ...scripted(world, store, [calls('a', 'b'), 'Done.']),
          tools: world.tools([
            tool('a', () => {
              throw new RangeError('no');
            }),
            tool('b', async () => {
              throw new RangeError('no');
            }),
          ]),
        }),
    });
    const report = await exploreCrashes(failing);
    expect(report.findings).toEqual([]);
    expect(report.operations.filter(({ kind }) => kind === 'tool')).toHaveLength(2);
  });

  it('a streamed model call is an operation like any other', async () => {
    const streaming = scenario(undefined, {
      createAgent: (world, store) => {
        const provider = world.provider(streamed(byPosition(SCRIPT)));
        const agent = createAgent({ ...scripted(world, store, SCRIPT), provider });
        return { ...agent, send: (input, options) => agent.stream(input, options).result };
      },
    });
    const report = await exploreCrashes(streaming);
    expect(report.findings).toEqual([]);
    expect([report.repeatedModelCalls, report.repeatedTools]).toEqual([0, 0]);
    const models = report.operations.filter(({ kind }) => kind === 'model');
    expect(models).toEqual(Array(5).fill({ kind: 'model', name: 'stream' }));
  });

  it('tries only the picked points', async () => {
    const report = await exploreCrashes(scenario(), { pick: ({ n, side }) => n <= 3 && side === 'after' });
    expect(report.crashPoints).toBe(3);
  });

  it('a scenario that fails undisturbed is the caller’s error', async () => {
    const broken = scenario(undefined, {
      createAgent: (world, store) => createAgent(scripted(world, store, [{ error: new Error('no') }])),
    });
    await expect(exploreCrashes(broken)).rejects.toThrow(/no/);
  });
});

describe('exploreCrashes sees', () => {
  const isSave = (method: StoreMethod) => method === 'saveIfLeased';
  const isOpen = (checkpoint: Checkpoint) => checkpoint.status === 'in-progress';

  async function explored(newAround: () => Around) {
    const report = await exploreCrashes(scenario(faultyStorage(newAround)));
    return { ...report, problems: report.findings.map((finding) => finding.problem) };
  }

  it('a store that drops saves silently', async () => {
    const { repeatedModelCalls, repeatedTools } = await explored(() => (method, args, next) => {
      return isSave(method) && isOpen(args[1] as Checkpoint) ? true : next();
    });
    expect(repeatedModelCalls).toBeGreaterThan(0);
    expect(repeatedTools).toBeGreaterThan(0);
  });

  it('a store that drops only the results', async () => {
    const { repeatedTools } = await explored(() => (method, args, next) => {
      const { messages = [], status } = (args[1] ?? {}) as Partial<Checkpoint>;
      return isSave(method) && status === 'in-progress' && messages.at(-1)?.role === 'tool' ? true : next();
    });
    expect(repeatedTools).toBeGreaterThan(0);
  });

  it('a store that acknowledges a save before it has happened', async () => {
    const { repeatedModelCalls, repeatedTools } = await explored(() => {
      let late: (() => Promise<unknown>) | undefined;
      return async (method, _, next) => {
        await late?.();
        late = undefined;
        if (!isSave(method)) return next();
        late = next;
        return true;
      };
    });
    expect(repeatedModelCalls + repeatedTools).toBeGreaterThan(0);
  });

  it('a store that loses results kept apart', async () => {
    const slowFirst = scenario(
      faultyStorage(() => async (method, _, next) => {
        const answer = (await next()) as Checkpoint | null;
        if (method !== 'load' || !answer) return answer;
        const { settledResults: _lost, ...rest } = answer;
        return rest;
      }),
      {
        createAgent: (world, store) =>
          createAgent({
            ...scripted(world, store, [calls('a', 'b'), 'Done.', 'Done again.']),
            tools: world.tools([
              tool('a', () => new Promise((resolve) => setTimeout(resolve, 2))),
              tool('b'),
            ]),
          }),
      },
    );
    expect((await exploreCrashes(slowFirst)).repeatedTools).toBeGreaterThan(0);
  });

  it('a store that returns the messages in another order', async () => {
    const { problems } = await explored(() => async (method, _, next) => {
      const answer = (await next()) as Checkpoint | null;
      if (method !== 'load' || !answer || !isOpen(answer)) return answer;
      const [first, ...rest] = answer.messages;
      return { ...answer, messages: [first, ...rest.toReversed()] };
    });
    expect(problems.length).toBeGreaterThan(0);
  });

  it('a store that forgets the last message', async () => {
    const report = await explored(() => async (method, _, next) => {
      const answer = (await next()) as Checkpoint | null;
      if (method !== 'load' || !answer || !isOpen(answer)) return answer;
      return { ...answer, messages: answer.messages.slice(0, -1) };
    });
    expect(report.findings.length + report.repeatedModelCalls + report.repeatedTools).toBeGreaterThan(0);
  });

  it('an agent that starts over instead of resuming', async () => {
    const report = await exploreCrashes(
      scenario(undefined, {
        createAgent: (world, store) => {
          const agent = createAgent(scripted(world, store, [calls('a'), calls('b'), 'Done.', 'More.']));
          return {
            ...agent,
            send: async (input, options) => {
              const stored = await store.checkpoints?.load('order-7');
              if (stored && stored.status !== 'finished') await store.checkpoints?.delete('order-7');
              return agent.send(input, options);
            },
          };
        },
      }),
    );
    expect(report.repeatedModelCalls).toBeGreaterThan(0);
    expect(report.repeatedTools).toBeGreaterThan(0);
  });

  it('an agent that never finishes what a crash interrupted', async () => {
    const { findings } = await exploreCrashes(
      scenario(undefined, {
        createAgent: (world, store) => {
          const agent = createAgent(scripted(world, store, [calls('a'), 'Done.', 'More.']));
          return {
            ...agent,
            send: async (input, options) => {
              const stored = await store.checkpoints?.load('order-7');
              if (stored && stored.status !== 'finished') throw new Error('there is an old run');
              return agent.send(input, options);
            },
          };
        },
      }),
    );
    const problems = findings.map((finding) => finding.problem);
    expect(problems.some((problem) => /second process failed/.test(problem))).toBe(true);
    expect(findings.every((finding) => finding.point !== null && finding.operation !== null)).toBe(true);
  });

  it('a run whose operations are not the same every time', async () => {
    let lives = 0;
    const report = await exploreCrashes(
      scenario(undefined, {
        turns: [{ input: 'Go' }],
        createAgent: (world, store) => {
          lives += 1;
          return createAgent(scripted(world, store, lives === 1 ? [calls('a'), 'Done.'] : ['Done.']));
        },
      }),
    );
    expect(report.findings.some(({ problem }) => /did not come|differs/.test(problem))).toBe(true);
  });
});

function count(values: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const value of values) counts[value] = (counts[value] ?? 0) + 1;
  return counts;
}
