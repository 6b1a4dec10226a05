import {
  type CreateAgentOptions,
  createAgent,
  defineTool,
  type RunEvent,
  SDKError,
  type Tool,
} from '@lousho/core';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { scriptedModel } from '../approval/support/workshop.js';
import { onFullStores } from '../harness/on-stores.js';
import type { FullStore } from '../harness/store-kind.js';
import { diesAtSave } from '../session/support/mortal-view.js';

type Told = Pick<
  Extract<RunEvent, { type: 'agent.drift' }>,
  'model' | 'toolsAdded' | 'toolsRemoved' | 'toolsChanged' | 'instructions'
>;

const NOTHING: Told = { toolsAdded: [], toolsRemoved: [], toolsChanged: [], instructions: false };

interface Edit {
  readonly name: string;
  readonly agent: Partial<CreateAgentOptions>;
  /** What must be told; `null`: it is no change. */
  readonly told: Told | null;
}

const order = z.object({ order: z.number() });

function tool(
  name: string,
  {
    input = order,
    says = `${name} done`,
    gated = false,
  }: { input?: z.ZodType; says?: string; gated?: boolean } = {},
): Tool {
  return defineTool({
    name,
    description: name,
    input: input as typeof order,
    needsApproval: gated,
    execute: () => {
      ran.push(name);
      return says;
    },
  });
}

const ran: string[] = [];
const lookUp = tool('look_up');
const refund = tool('refund', { gated: true });
const BASE = { model: 'small-1', instructions: 'Be brief.', tools: [lookUp, refund] } as const;

/** `pending` is the tool that the run is waiting on; the edits are about the other one. */
function editsBeside(pending: Tool, other: Tool): readonly Edit[] {
  const { name } = other;
  return [
    {
      name: 'model',
      agent: { model: 'large-2' },
      told: { ...NOTHING, model: { from: 'small-1', to: 'large-2' } },
    },
    { name: 'instructions', agent: { instructions: 'Be kind.' }, told: { ...NOTHING, instructions: true } },
    {
      name: 'tool added',
      agent: { tools: [...BASE.tools, tool('ship')] },
      told: { ...NOTHING, toolsAdded: ['ship'] },
    },
    { name: 'tool removed', agent: { tools: [pending] }, told: { ...NOTHING, toolsRemoved: [name] } },
    {
      name: 'tool renamed',
      agent: { tools: [pending, { ...other, name: 'renamed' }] },
      told: { ...NOTHING, toolsAdded: ['renamed'], toolsRemoved: [name] },
    },
    {
      name: 'schema changed',
      agent: { tools: [pending, tool(name, { input: z.object({ order: z.string() }) })] },
      told: { ...NOTHING, toolsChanged: [name] },
    },
    { name: 'order changed', agent: { tools: [...BASE.tools].toReversed() }, told: null },
    {
      name: 'code changed',
      agent: {
        tools: [tool('look_up', { says: 'new' }), tool('refund', { says: 'new', gated: true })],
        hooks: [{ name: 'watch', beforeToolCall: () => undefined }],
      },
      told: null,
    },
  ];
}

const CALL = [{ id: 'call', tool: 'look_up', args: { order: 7 } }];
const GATED = [{ id: 'call', tool: 'refund', args: { order: 7 } }];

function start(
  store: FullStore | ReturnType<typeof diesAtSave>,
  turn: typeof CALL,
  changed: Partial<CreateAgentOptions> = {},
) {
  const warnings: string[] = [];
  const provider = scriptedModel([turn, 'done', 'again']);
  const agent = createAgent({
    ...BASE,
    provider,
    store,
    ports: { logger: { warn: (message) => void warnings.push(message) } },
    ...changed,
  });
  return { agent, provider, warnings };
}

async function driftOf(run: AsyncIterable<RunEvent>): Promise<{ types: string[]; told: Told | null }> {
  const types: string[] = [];
  let told: Told | null = null;
  for await (const event of run) {
    types.push(event.type);
    if (event.type !== 'agent.drift') continue;
    const { model, toolsAdded, toolsRemoved, toolsChanged, instructions } = event;
    told = { ...(model && { model }), toolsAdded, toolsRemoved, toolsChanged, instructions };
  }
  return { types, told };
}

async function codeOf(promise: Promise<unknown>): Promise<string> {
  return promise.then(
    () => 'none',
    (error: unknown) => (error instanceof SDKError ? error.code : String(error)),
  );
}

describe('an agent that was edited while its run was interrupted', () => {
  onFullStores((newStorage) => {
    describe.each(editsBeside(lookUp, refund))('$name', ({ agent: changed, told }) => {
      async function interrupted() {
        const { open } = newStorage();
        await start(diesAtSave(open(), 2), CALL)
          .agent.send('Go', { sessionId: 'run' })
          .catch(() => undefined);
        ran.length = 0;
        return open;
      }

      it('G3 warn: one warning and one event behind run.start if it changed, and the run goes on', async () => {
        const open = await interrupted();
        const { agent, warnings } = start(open(), CALL, changed);
        const run = agent.stream([], { sessionId: 'run' });
        const seen = await driftOf(run);
        expect(seen.told).toEqual(told);
        expect(seen.types.filter((type) => type === 'agent.drift')).toHaveLength(told ? 1 : 0);
        if (told) expect(seen.types.slice(0, 2)).toEqual(['run.start', 'agent.drift']);
        expect(warnings).toHaveLength(told ? 1 : 0);
        expect((await run.result).finishReason).toBe('stop');
        expect(ran).toEqual(['look_up']);
      });

      it('G4 error: LOUSHO_AGENT_DRIFT if it changed, no model call, no tool, the checkpoint as it was; the right agent goes on', async () => {
        const open = await interrupted();
        const before = await open().checkpoints.load('run');
        const { agent, provider, warnings } = start(open(), CALL, { ...changed, onAgentDrift: 'error' });
        const ways = [
          () => agent.resume('run'),
          () => agent.send('More', { sessionId: 'run' }),
          () => agent.stream([], { sessionId: 'run' }).result,
        ];
        if (!told) {
          expect(await codeOf(agent.resume('run'))).toBe('none');
          return;
        }
        for (const way of ways) expect(await codeOf(way())).toBe('LOUSHO_AGENT_DRIFT');
        expect(provider.requests).toEqual([]);
        expect(ran).toEqual([]);
        expect(warnings).toEqual([]);
        expect(await open().checkpoints.load('run')).toEqual(before);
        expect((await start(open(), CALL, { onAgentDrift: 'error' }).agent.resume('run'))?.finishReason).toBe(
          'stop',
        );
      });

      it('ignore: nothing is told', async () => {
        const open = await interrupted();
        const { agent, warnings } = start(open(), CALL, { ...changed, onAgentDrift: 'ignore' });
        const seen = await driftOf(agent.stream([], { sessionId: 'run' }));
        expect([seen.told, warnings]).toEqual([null, []]);
      });
    });

    describe.each(editsBeside(refund, lookUp))(
      '$name, while its call waits for a person',
      ({ agent: changed, told }) => {
        it('G4 error: the decision is refused if it changed, nothing runs, and the approval is still to be decided', async () => {
          const { open } = newStorage();
          const { approvalId = '' } = await start(open(), GATED).agent.send('Go', { sessionId: 'run' });
          ran.length = 0;
          const before = await open().checkpoints.load('run');
          const { agent, provider } = start(open(), GATED, { ...changed, onAgentDrift: 'error' });
          const decision = { id: approvalId, approved: true };
          if (!told) {
            expect(await codeOf(agent.approvals.resolve(decision))).toBe('none');
            return;
          }
          expect(await codeOf(agent.approvals.resolve(decision))).toBe('LOUSHO_AGENT_DRIFT');
          expect(await codeOf(agent.approvals.streamResolve(decision).result)).toBe('LOUSHO_AGENT_DRIFT');
          expect([provider.requests, ran]).toEqual([[], []]);
          expect(await open().checkpoints.load('run')).toEqual(before);
          expect((await agent.approvals.list()).map(({ id }) => id)).toEqual([approvalId]);
          expect((await open().approvals.load(approvalId))?.decision).toBeUndefined();
          const right = start(open(), GATED, { onAgentDrift: 'error' });
          expect((await right.agent.approvals.resolve(decision)).finishReason).toBe('stop');
          expect(ran).toEqual(['refund']);
        });

        it('G3 warn: it is told, and the decision counts', async () => {
          const { open } = newStorage();
          const { approvalId = '' } = await start(open(), GATED).agent.send('Go', { sessionId: 'run' });
          ran.length = 0;
          const { agent, warnings } = start(open(), GATED, changed);
          const run = agent.approvals.streamResolve({ id: approvalId, approved: true });
          const seen = await driftOf(run);
          expect(seen.told).toEqual(told);
          expect(warnings).toHaveLength(told ? 1 : 0);
          expect((await run.result).finishReason).toBe('stop');
          expect(ran).toEqual(['refund']);
        });
      },
    );
  });
});
