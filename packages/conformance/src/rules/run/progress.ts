import type { Checkpoint } from '@lousho/core/contract';
import { promise, promiseSame } from '../../check/promise.js';
import { sentence } from '../../model/rule.js';
import { ID } from '../../world/builders.js';
import { workbench } from '../../world/workbench.js';
import { FENCED } from '../methods.js';

const needs = { methods: FENCED, reads: ['latest'] } as const;

/** What is stored while a run goes on, seen by another client. */
export const runProgress = [
  ...sentence('RUN-01', 'A call starts when the turn that makes it is stored, and not before.', {
    needs,
    check: async (world) => {
      const [client, other] = [await world.open(), await world.open()];
      let seen: Checkpoint | null = null;
      const { agent } = workbench(world, client, {
        turns: [['look_1'], 'Done.'],
        tools: {
          look: async () => {
            seen = await other.checkpoints.load(ID);
            return 'seen';
          },
        },
      });
      await agent.send('Go', { sessionId: ID });
      const calls = lastTurnOf(seen)?.toolCalls?.map(({ id }) => id);
      promiseSame('in the call, the calls of the stored turn are', calls, ['look_1']);
    },
  }),
  ...sentence('RUN-02', 'The result of a call is stored before the next call starts in its place.', {
    needs,
    check: async (world) => {
      const [client, other] = [await world.open(), await world.open()];
      const seen: (readonly string[])[] = [];
      const { agent } = workbench(world, client, {
        turns: [['look_1', 'look_2', 'look_3'], 'Done.'],
        tools: {
          look: async () => {
            seen.push(resultsIn(await other.checkpoints.load(ID)));
            return 'seen';
          },
        },
        toolConcurrency: 1,
      });
      await agent.send('Go', { sessionId: ID });
      const wanted = [[], ['look_1'], ['look_1', 'look_2']];
      promiseSame('in the calls, the stored results are those of', seen, wanted);
    },
  }),
  ...sentence(
    'RUN-03',
    'In whatever order the calls of a turn settle, each has one result, directly behind its turn and in the order of the calls.',
    {
      needs,
      under: 'concurrency',
      check: async (world) => {
        const client = await world.open();
        const ids = ['a_1', 'b_1', 'c_1', 'd_1'];
        const { tools, order } = settlingInReverse(ids);
        const { agent, asked } = workbench(world, client, { turns: [ids, 'Done.'], tools });
        await agent.send('Go', { sessionId: ID });
        promiseSame('the calls settle in the order', order, [...ids].reverse());
        promiseSame('the model is shown', asked[1]?.messages.map(nameOf), ['user', 'assistant', ...ids]);
        const stored = (await client.checkpoints.load(ID))?.messages.map(nameOf);
        promiseSame('what is stored is', stored, ['user', 'assistant', ...ids, 'assistant']);
      },
    },
  ),
  ...sentence('RUN-04', 'A call id that a model uses again in a later turn names a call of its own.', {
    needs,
    check: async (world) => {
      const client = await world.open();
      const { agent, started } = workbench(world, client, {
        turns: [['work_0'], ['work_0'], ['work_0'], 'Done.'],
      });
      await agent.send('Go', { sessionId: ID });
      promiseSame('the started calls are', started, ['work_0', 'work_0', 'work_0']);
      const stored = await client.checkpoints.load(ID);
      promise('the run has finished', stored?.status === 'finished', stored?.status);
      const results = stored?.messages.filter(({ role }) => role === 'tool').length;
      promiseSame('the stored results are', results, 3);
    },
  }),
];

function lastTurnOf(stored: Checkpoint | null) {
  return stored?.messages.findLast(({ role }) => role === 'assistant');
}

function resultsIn(stored: Checkpoint | null): string[] {
  const results = [...(stored?.messages ?? []), ...(stored?.settledResults ?? [])];
  return results.flatMap(({ role, toolCallId }) => (role === 'tool' ? [toolCallId ?? ''] : []));
}

function nameOf({ role, toolCallId }: { readonly role: string; readonly toolCallId?: string }): string {
  return toolCallId ?? role;
}

/** Tools of which each waits for the one behind it. */
function settlingInReverse(ids: readonly string[]) {
  const order: string[] = [];
  const settle = new Map<string, () => void>();
  const settled = new Map(ids.map((id) => [id, new Promise<void>((resolve) => settle.set(id, resolve))]));
  const tools = ids.map((id, index) => [
    id.split('_', 1)[0] as string,
    async () => {
      await settled.get(ids[index + 1] ?? '');
      order.push(id);
      // The result of the call behind is on its way to the store before this one settles.
      await new Promise<void>((resolve) => setImmediate(resolve));
      settle.get(id)?.();
      return 'done';
    },
  ]);
  return { order, tools: Object.fromEntries(tools) as Record<string, () => Promise<string>> };
}
