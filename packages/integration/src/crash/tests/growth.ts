import { type BundledStore, createAgent, defineTool, type LLMProvider } from '@lousho/core';
import { ANY_OBJECT } from '../../any-object.js';
import { newStorage, openStorage } from '../../stores/chosen-storage.js';
import type { CrashSetup, CrashTest } from '../crash-test.js';
import { atMost, exactly, type Figure, told } from '../figure.js';
import { emptyFolder } from '../rounds.js';
import { sum } from '../statistics.js';

const STEPS = 200;
const TEXT_BYTES = 1024;
const RESULT_BYTES = 4096;
const HISTORY_LIMIT = 50;
const SESSION = 'growing';
const MAX_RATIO = 3;

/** What a long run costs on the disk: no crash, but the same table. */
export const growth: CrashTest = {
  name: 'F',
  says: `${STEPS} steps of 1 KiB text and a 4 KiB tool result: stored bytes, and whether late steps are slower`,
  roles: {},
  run: async (setup) => {
    // Behind it are the clients of all servers, which no other test's process needs.
    const { storedBytes } = await import('../../stores/stored-bytes.js');
    const storage = await newStorage(setup.store, emptyFolder(setup.folder, 'store'));
    if ((await storedBytes(storage)) === undefined)
      return { kind: 'not-measured', reason: 'n/a, nobody can say what it stores' };
    const store = openStorage(storage, { historyLimit: HISTORY_LIMIT });
    try {
      const startedAt = await longRun(store, setup);
      const history = await store.checkpoints.history?.(SESSION);
      const bytes = (await storedBytes(storage)) ?? Number.NaN;
      return { kind: 'measured', figures: judge(startedAt, bytes, history?.length ?? 0) };
    } finally {
      await store.close();
    }
  },
};

/** Resolves with the monotonic instants at which the steps began, and that of the end. */
async function longRun(store: BundledStore, { progress }: CrashSetup): Promise<readonly number[]> {
  const startedAt: number[] = [];
  const provider: LLMProvider = {
    name: 'scripted',
    generate: async ({ step }) => {
      startedAt.push(performance.now());
      progress(step - 1, STEPS);
      const text = filler(TEXT_BYTES, step);
      if (step > STEPS) return { text: 'Done.', finishReason: 'stop' };
      const call = {
        id: `call-${step}`,
        type: 'function',
        function: { name: 'read', arguments: '{}' },
      } as const;
      return { text, toolCalls: [call], finishReason: 'tool_calls' };
    },
  };
  const read = defineTool({
    name: 'read',
    description: 'Reads 4 KiB',
    input: ANY_OBJECT,
    inputJsonSchema: { type: 'object' },
    execute: (_, { step }) => filler(RESULT_BYTES, -step),
  });
  const agent = createAgent({ provider, tools: [read], store, maxSteps: STEPS + 1 });
  await agent.send('Read everything.', { sessionId: SESSION });
  return startedAt;
}

function judge(startedAt: readonly number[], storedBytes: number, history: number): Figure[] {
  const newBytes = STEPS * (TEXT_BYTES + RESULT_BYTES);
  const took = startedAt.slice(1).map((at, index) => at - (startedAt[index] ?? at));
  const tenth = Math.round(STEPS / 10);
  const early = sum(took.slice(0, tenth)) / tenth;
  const late = sum(took.slice(-tenth)) / tenth;
  return [
    exactly('steps', took.length, STEPS),
    told('new data', newBytes / 1024, 'KiB'),
    told('stored, while open', storedBytes / 1024, 'KiB'),
    atMost('stored / new', storedBytes / newBytes, MAX_RATIO),
    exactly('history entries', history, HISTORY_LIMIT),
    told('a step, first tenth', early, 'ms'),
    told('a step, last tenth', late, 'ms'),
    told('last tenth / first tenth (wanted: <= 2)', late / early),
  ];
}

/** Text that differs from step to step, so that no store can make it smaller. */
function filler(bytes: number, seed: number): string {
  let state = (seed * 2_654_435_761) >>> 0;
  let text = '';
  while (text.length < bytes) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    text += state.toString(36);
  }
  return text.slice(0, bytes);
}
