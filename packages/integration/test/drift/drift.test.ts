import {
  AgentExecutor,
  type Checkpoint,
  type CreateAgentOptions,
  createAgent,
  defineTool,
} from '@lousho/core';
import { mockModel } from '@lousho/core/testing';
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { calls, scriptedModel, workshop } from '../approval/support/workshop.js';
import { newStorageOf, onFullStores } from '../harness/on-stores.js';
import { diesAtSave } from '../session/support/mortal-view.js';
import { office } from '../session/support/office.js';
import { codeOf, rejection } from '../support/rejections.js';

const TURNS = { turns: [calls('a'), 'one', 'two', 'three'], open: ['a'], instructions: 'Be brief.' } as const;
const MODES = ['warn', 'error', 'ignore'] as const;

describe('the fingerprint of an agent', () => {
  onFullStores((newStorage) => {
    it('is on every checkpoint and in every approval', async () => {
      const { open } = newStorage();
      const { start } = office(open, { ...TURNS, turns: [calls('a'), calls('g'), 'one'], gated: ['g'] });
      const { approvalId = '' } = await start().agent.send('Go', { sessionId: 'run' });
      const { checkpoints, approvals } = open();
      const entries = await checkpoints.history('run');
      const prints = entries.map(({ checkpoint }) => checkpoint.agentFingerprint);
      expect(prints[0]).toMatchObject({
        hash: expect.stringMatching(/^[0-9a-f]{16}$/),
        tools: { a: expect.any(String) },
      });
      for (const print of prints) expect(print).toEqual(prints[0]);
      expect(JSON.stringify(await approvals.load(approvalId))).toContain(prints[0]?.hash);
    });

    it('G5 that is missing in an older record warns of nothing, also under error', async () => {
      for (const onAgentDrift of MODES) {
        const { open } = newStorage();
        const { start } = office(open, TURNS);
        await start({ store: diesAtSave(open(), 2) })
          .agent.send('Go', { sessionId: 'run' })
          .catch(() => undefined);
        const { agentFingerprint, ...older } = (await open().checkpoints.load('run')) as Checkpoint;
        expect(agentFingerprint).toBeDefined();
        await open().checkpoints.delete('run');
        await open().checkpoints.save('run', older);
        const warn = vi.fn();
        const { agent } = start({ instructions: 'Changed.', onAgentDrift, ports: { logger: { warn } } });
        expect((await agent.resume('run'))?.text).toBe('one');
        expect(warn).not.toHaveBeenCalled();
      }
    });

    it('G6 a pending call whose tool has gone is refused in all three modes, the checkpoint as it was', async () => {
      for (const onAgentDrift of MODES) {
        const { open } = newStorage();
        const { start, effects } = office(open, TURNS);
        await start({ store: diesAtSave(open(), 2) })
          .agent.send('Go', { sessionId: 'run' })
          .catch(() => undefined);
        effects.length = 0;
        const before = await open().checkpoints.load('run');
        for (const changed of [{ open: [] }, { open: ['renamed'] }]) {
          const gone = start({ ...changed, onAgentDrift });
          expect(await codeOf(gone.agent.resume('run'))).toBe('LOUSHO_RESUME_TOOL_MISSING');
          expect(await codeOf(gone.agent.send('More', { sessionId: 'run' }))).toBe(
            'LOUSHO_RESUME_TOOL_MISSING',
          );
          expect(gone.model.requests).toEqual([]);
        }
        expect(effects).toEqual([]);
        expect(await open().checkpoints.load('run')).toEqual(before);
      }
    });

    it('G6 an approved call whose tool has gone leaves the approval pending; an agent that has it can reject', async () => {
      for (const onAgentDrift of MODES) {
        const { open } = newStorage();
        const { start } = office(open, { turns: [calls('g'), 'one'], gated: ['g'] });
        const { approvalId = '' } = await start().agent.send('Go', { sessionId: 'run' });
        const gone = start({ gated: [], onAgentDrift }).agent;
        expect(await codeOf(gone.approvals.resolve({ id: approvalId, approved: true }))).toBe(
          'LOUSHO_RESUME_TOOL_MISSING',
        );
        expect(await gone.approvals.list()).toHaveLength(1);
        const result = await start().agent.approvals.resolve({ id: approvalId, approved: false });
        expect(result.text).toBe('one');
      }
    });

    it('a session turn is compared as well, by resume and by the next send', async () => {
      const { open } = newStorage();
      const { start } = office(open, TURNS);
      await start({ store: diesAtSave(open(), 2) })
        .agent.session({ id: 'chat' })
        .send('Go')
        .catch(() => undefined);
      const before = await open().checkpoints.load('chat.turn-0');
      const strict = start({ instructions: 'Changed.', onAgentDrift: 'error' });
      const session = strict.agent.session({ id: 'chat' });
      expect(await codeOf(session.resume())).toBe('LOUSHO_AGENT_DRIFT');
      expect(await codeOf(session.send('More'))).toBe('LOUSHO_AGENT_DRIFT');
      expect(strict.model.requests).toEqual([]);
      expect(await open().checkpoints.load('chat.turn-0')).toEqual(before);
      expect(await session.messages()).toEqual([]);
      const warn = vi.fn();
      const lenient = start({ instructions: 'Changed.', ports: { logger: { warn } } });
      expect((await lenient.agent.session({ id: 'chat' }).resume())?.text).toBe('one');
      expect(warn).toHaveBeenCalledTimes(1);
      expect(warn.mock.calls[0]?.[0]).toContain('instructions');
    });

    it('a new turn of a session and a new turn of a run are no resume: nothing is compared', async () => {
      const { open } = newStorage();
      const { start } = office(open, TURNS);
      await start().agent.session({ id: 'chat' }).send('Go');
      await start().agent.send('Go', { sessionId: 'run' });
      const { agent } = start({ instructions: 'Changed.', open: ['a', 'b'], onAgentDrift: 'error' });
      expect((await agent.session({ id: 'chat' }).send('More')).text).toBe('two');
      expect((await agent.send('More', { sessionId: 'run' })).text).toBe('two');
    });

    it('of a resumed run says the instructions that stand in its transcript, and the model and tools of today', async () => {
      const { open } = newStorage();
      const { start } = office(open, { ...TURNS, turns: [calls('a'), calls('g'), 'one'], gated: ['g'] });
      await start({ store: diesAtSave(open(), 2) })
        .agent.send('Go', { sessionId: 'run' })
        .catch(() => undefined);
      const first = (await open().checkpoints.load('run'))?.agentFingerprint;
      const changed = {
        instructions: 'Changed.',
        open: ['a', 'b'],
        ports: { logger: { warn: () => undefined } },
      };
      await start(changed).agent.resume('run');
      const second = (await open().checkpoints.load('run'))?.agentFingerprint;
      expect(second?.instructions).toBe(first?.instructions);
      expect(Object.keys(second?.tools ?? {}).toSorted()).toEqual(['a', 'b', 'g']);
      expect(second?.hash).not.toBe(first?.hash);
    });

    it('E11 recover() tells of a drift, and leaves the run as it was', async () => {
      const { open } = newStorage();
      const { start } = office(open, TURNS);
      await start({ store: diesAtSave(open(), 2) })
        .agent.send('Go', { sessionId: 'run' })
        .catch(() => undefined);
      const before = await open().checkpoints.load('run');
      const { agent } = start({ instructions: 'Changed.', onAgentDrift: 'error' });
      const codes: unknown[] = [];
      const recovery = agent.recover({
        intervalMs: 5,
        onError: (error) => void codes.push((error as { code?: string }).code),
      });
      await expect.poll(() => codes.length > 0).toBe(true);
      await recovery.stop();
      expect(new Set(codes)).toEqual(new Set(['LOUSHO_AGENT_DRIFT']));
      expect(await open().checkpoints.load('run')).toEqual(before);
    });
  });

  it('the model of the provider counts where the agent names none', async () => {
    const { open } = newStorageOf('memory');
    const options = (defaultModel: string): CreateAgentOptions => ({
      provider: { ...scriptedModel([calls('a'), 'one']), defaultModel },
      store: open(),
      tools: workshopTools(),
      onAgentDrift: 'error',
      ports: { logger: { warn: () => undefined } },
    });
    await createAgent({ ...options('small-1'), store: diesAtSave(open(), 2) })
      .send('Go', { sessionId: 'run' })
      .catch(() => undefined);
    expect((await rejection(createAgent(options('large-2')).resume('run'))).detail).toContain(
      'small-1 -> large-2',
    );
    expect((await createAgent(options('small-1')).resume('run'))?.text).toBe('one');
  });

  it('a warning goes to the console where there is no logger', async () => {
    const { open } = newStorageOf('memory');
    const { start } = office(open, TURNS);
    await start({ store: diesAtSave(open(), 2) })
      .agent.send('Go', { sessionId: 'run' })
      .catch(() => undefined);
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
    try {
      const agent = createAgent({
        provider: scriptedModel(TURNS.turns),
        store: open(),
        instructions: 'Changed.',
        tools: workshopTools(),
      });
      await agent.resume('run');
      expect(warn).toHaveBeenCalledTimes(1);
      expect(String(warn.mock.calls[0]?.[0])).toMatch(/run.*instructions/);
    } finally {
      warn.mockRestore();
    }
  });

  it.each(['warning', '', true, null])('refuses onAgentDrift %j', (onAgentDrift) => {
    expect(() => workshop({ store: {}, turns: [], onAgentDrift: onAgentDrift as never })).toThrow(
      expect.objectContaining({ code: 'LOUSHO_CONFIG_INVALID' }),
    );
  });

  it('the executor compares as well', async () => {
    const { open } = newStorageOf('memory');
    const { start } = office(open, TURNS);
    await start({ store: diesAtSave(open(), 2) })
      .agent.send('Go', { sessionId: 'run' })
      .catch(() => undefined);
    const options = {
      agent: { name: 'agent', prompt: 'Changed.', tools: workshopTools() },
      provider: mockModel(['one']),
      input: [],
      sessionId: 'run',
      checkpointStore: open().checkpoints,
    };
    expect(await codeOf(AgentExecutor.execute({ ...options, onAgentDrift: 'error' }))).toBe(
      'LOUSHO_AGENT_DRIFT',
    );
    expect(await codeOf(AgentExecutor.execute({ ...options, onAgentDrift: 'ignore' }))).toBe('none');
  });
});

function workshopTools() {
  return [defineTool({ name: 'a', description: 'a', input: z.looseObject({}), execute: () => 'a done' })];
}
