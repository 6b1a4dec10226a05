import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import {
  type Checkpoint,
  type CreateAgentOptions,
  createAgent,
  type ExecutionSnapshot,
  type Message,
  type PendingApproval,
} from '@lousho/core';
import { transcriptFaults } from '@lousho/core/testing';
import { describe, expect, it, vi } from 'vitest';
import { resultOf, roles } from '../approval/support/results.js';
import { countingTool, scriptedModel, type Turn } from '../approval/support/workshop.js';
import { newStorageOf, onFullStores } from '../harness/on-stores.js';
import type { FullStore } from '../harness/store-kind.js';

/** What a store held at some time. One is added with every change of what is stored; none is ever changed. */
interface Records {
  readonly about: string;
  readonly checkpoints?: Readonly<Record<string, Checkpoint>>;
  readonly approvals?: readonly {
    readonly approval: PendingApproval;
    readonly snapshot: ExecutionSnapshot;
  }[];
  readonly sessions?: Readonly<Record<string, readonly Message[]>>;
}

const FOLDER = fileURLToPath(new URL('.', import.meta.url));
const NEWEST = 'written-with-a-format';

function read(name: string): Records {
  return JSON.parse(readFileSync(`${FOLDER}/${name}.json`, 'utf8')) as Records;
}

async function keep(
  store: FullStore,
  { checkpoints = {}, approvals = [], sessions = {} }: Records,
): Promise<void> {
  for (const [id, checkpoint] of Object.entries(checkpoints)) await store.checkpoints.save(id, checkpoint);
  for (const { approval, snapshot } of approvals) await store.approvals.save(approval, snapshot);
  for (const [id, messages] of Object.entries(sessions)) await store.sessions.saveIf(id, 0, messages);
}

function shop(store: FullStore, turns: readonly Turn[], changed: Partial<CreateAgentOptions> = {}) {
  const effects: string[] = [];
  const warn = vi.fn();
  const provider = scriptedModel(turns);
  const tools = ['charge', 'ship', 'refund'].map((name) =>
    countingTool({
      name,
      effects,
      needsApproval: name === 'refund',
      execute: (_, { toolCallId }) => `${name} ${toolCallId}`,
    }),
  );
  const agent = createAgent({
    name: 'shop',
    provider,
    tools,
    store,
    instructions: 'You sell things.',
    onAgentDrift: 'error',
    ports: { logger: { warn } },
    ...changed,
  });
  return { agent, provider, effects, warn };
}

describe('records of an older time', () => {
  onFullStores((newStorage) => {
    async function withRecords(name: string) {
      const store = newStorage().open();
      await keep(store, read(name));
      return store;
    }

    it('A13 A15 G5 without a status: the run is in progress, is listed, and is finished without a comparison', async () => {
      const store = await withRecords('unfinished-run-without-status');
      const { agent, provider, effects, warn } = shop(store, ['', '', 'Done.']);
      expect(await agent.pending()).toEqual([
        { sessionId: 'order-7', kind: 'run', checkpointId: 'order-7', status: 'in-progress', step: 2 },
      ]);
      const result = await agent.resume('order-7');
      expect(result).toMatchObject({ text: 'Done.', finishReason: 'stop', steps: 3 });
      expect(result?.usage).toMatchObject({ inputTokens: 100, outputTokens: 10, totalTokens: 110 });
      expect(effects).toEqual(['call_2']);
      expect(provider.requests).toHaveLength(1);
      expect(warn).not.toHaveBeenCalled();
      const stored = await store.checkpoints.load('order-7');
      expect(stored).toMatchObject({ status: 'finished', agentId: 'shop', flow: { node: 'checkout' } });
      expect(transcriptFaults(stored?.messages ?? [])).toEqual([]);
      expect(await agent.resume('order-7')).toBeNull();
    });

    it('without a runStart: the message that it began with is known again, another one joins', async () => {
      const store = await withRecords('unfinished-run-without-status');
      const { agent } = shop(store, ['', '', 'Done.']);
      const { messages } = await agent.send('Charge and ship order 7', { sessionId: 'order-7' });
      expect(roles(messages)).toBe(
        'system user assistant(call_1) tool(call_1) assistant(call_2) tool(call_2) assistant',
      );
      const other = await withRecords('unfinished-run-without-status');
      const joined = await shop(other, ['', '', 'Done.']).agent.send('And hurry', { sessionId: 'order-7' });
      expect(roles(joined.messages)).toBe(
        'system user assistant(call_1) tool(call_1) assistant(call_2) tool(call_2) user assistant',
      );
    });

    it('without a history of its own it can be forked from its next save on', async () => {
      const store = await withRecords('unfinished-run-without-status');
      const { agent } = shop(store, ['', '', 'Done.']);
      await agent.resume('order-7');
      const fork = await agent.fork('order-7', { fromStep: 2 });
      expect((await agent.resume(fork.sessionId))?.text).toBe('Done.');
    });

    it('B6 without remainingToolCalls: the approved call runs, the calls beside it end as not run', async () => {
      const store = await withRecords('paused-run-without-remaining-calls');
      const { agent, effects, warn } = shop(store, ['', 'Done.']);
      expect(await agent.pending()).toMatchObject([
        { sessionId: 'order-8', status: 'awaiting-approval', approvalId: 'approval-8' },
      ]);
      await expect(agent.send('Well?', { sessionId: 'order-8' })).rejects.toMatchObject({
        code: 'LOUSHO_SESSION_AWAITING_APPROVAL',
        approvalId: 'approval-8',
      });
      const { messages, text } = await agent.approvals.resolve({ id: 'approval-8', approved: true });
      expect(text).toBe('Done.');
      expect(roles(messages)).toBe(
        'user assistant(call_1,call_2,call_3) tool(call_1) tool(call_2) tool(call_3) assistant',
      );
      expect(resultOf(messages, 'call_1')).toBe('refund call_1');
      for (const id of ['call_2', 'call_3'])
        expect(resultOf(messages, id)).toMatchObject({ kind: 'not-run', isError: true });
      expect(effects).toEqual(['call_1']);
      expect(warn).not.toHaveBeenCalled();
    });

    it('finished: the conversation goes on, and a job that is delivered again gives its result', async () => {
      const store = await withRecords('finished-run-without-fingerprint');
      const { agent, provider } = shop(store, ['', '', 'Order 9 is on its way.']);
      const again = await agent.send('Charge order 9', { sessionId: 'order-9', ifAbsent: true });
      expect(again).toMatchObject({ text: 'Order 9 is charged.', finishReason: 'stop' });
      expect(provider.requests).toEqual([]);
      expect(await agent.pending()).toEqual([]);
      const next = await agent.send('And now?', { sessionId: 'order-9' });
      expect(next).toMatchObject({ text: 'Order 9 is on its way.', steps: 1 });
      expect(roles(next.messages)).toBe(
        'system user assistant(call_1) tool(call_1) assistant user assistant',
      );
    });

    it.each([
      ['of 0.1.0', 'written-by-0.1.0'],
      ['with a format', NEWEST],
    ])(
      '%s: a run and a turn that wait for a person are decided, an interrupted turn is finished',
      async (_, name) => {
        const store = await withRecords(name);
        const { agent, effects, warn } = shop(store, SCRIPT);
        expect(
          (await agent.pending()).map(({ checkpointId, status }) => `${checkpointId} ${status}`),
        ).toEqual([
          'chat.turn-4 awaiting-approval',
          'crashed.turn-0 in-progress',
          'order-1 awaiting-approval',
        ]);
        expect((await agent.resume('crashed'))?.text).toBe('Done.');
        await expect(agent.send('Psst', { sessionId: 'chat' })).rejects.toMatchObject({
          code: 'LOUSHO_SESSION_AWAITING_APPROVAL',
        });
        const approvals = await agent.approvals.list();
        expect(approvals).toHaveLength(2);
        for (const { id } of approvals)
          expect((await agent.approvals.resolve({ id, approved: true })).finishReason).toBe('stop');
        expect(roles(await agent.session({ id: 'chat' }).messages())).toBe(
          'user assistant(call_1) tool(call_1) assistant user assistant(call_2) tool(call_2) assistant',
        );
        expect(await agent.pending()).toEqual([]);
        expect(effects).toEqual(['call_1', 'call_2', 'call_1']);
        expect(warn).not.toHaveBeenCalled();
      },
    );
  });
});

const CHARGE: Turn = [{ id: 'call_1', tool: 'charge' }];
const REFUND: Turn = [{ id: 'call_1', tool: 'refund' }];

/** Which answer is due follows from the transcript alone, so that the conversations share a script. */
const SCRIPT: readonly Turn[] = [CHARGE, 'Done.', [{ id: 'call_2', tool: 'refund' }], 'Refunded.'];

/** What this version leaves in a store: a run and a turn that wait, a turn that was cut off, a transcript. */
async function recordsOfToday(): Promise<Records> {
  const store = newStorageOf('memory').open();
  const { agent } = shop(store, SCRIPT);
  const chat = agent.session({ id: 'chat' });
  await chat.send('Charge order 1');
  await chat.send('Pay it back');
  await shop(store, [REFUND, 'Refunded.']).agent.send('Pay it back', {
    sessionId: 'order-1',
    businessState: { cart: 1 },
  });
  const cut: Checkpoint[] = [];
  await agent.session({ id: 'whole' }).send('Charge order 2');
  for (const { checkpoint } of await store.checkpoints.history('whole.turn-0'))
    if (checkpoint.stepIndex === 1 && checkpoint.messages.at(-1)?.role === 'assistant') cut.push(checkpoint);
  const ids = ['chat.turn-4', 'chat.paused', 'order-1'];
  const loaded = await Promise.all(
    ids.map(async (id) => [id, (await store.checkpoints.load(id)) as Checkpoint] as const),
  );
  const approvals = await Promise.all(
    (await store.approvals.list()).map(async ({ id }) => {
      const record = await store.approvals.load(id);
      if (!record) throw new Error(`${id} is listed and not there`);
      return { approval: record.approval, snapshot: record.snapshot };
    }),
  );
  return {
    about:
      'What a version leaves in a store whose records name their format: a run and a turn that wait for a person, a turn that was cut off, a transcript.',
    checkpoints: Object.fromEntries([
      ...loaded,
      ['crashed.turn-0', { ...(cut[0] as Checkpoint), sessionId: 'crashed.turn-0' }],
    ]),
    approvals,
    sessions: { chat: await chat.messages() },
  };
}

describe('the folder of records', () => {
  it('has nothing in it that no test reads', () => {
    const files = readdirSync(FOLDER).filter((name) => name.endsWith('.json'));
    const source = readFileSync(fileURLToPath(import.meta.url), 'utf8');
    for (const name of files) expect(source).toContain(name.replace(/\.json$/, ''));
    for (const name of files) expect(read(name.replace(/\.json$/, '')).about).not.toBe('');
  });

  it('has what this version writes: where this fails, the format has changed, and another record belongs into the folder', async () => {
    expect(shapeOf(await recordsOfToday())).toEqual(shapeOf(read(NEWEST)));
  });
});

/** Names and types, without values that differ from run to run. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shapeOf);
  if (typeof value !== 'object' || value === null) return typeof value;
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, shapeOf(entry)]));
}
