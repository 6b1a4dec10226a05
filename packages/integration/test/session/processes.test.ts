import { type Agent, createAgent, defineTool } from '@lousho/core';
import { fileStore } from '@lousho/store-file';
import { SqliteStore } from '@lousho/store-sqlite';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { effectsIn, ended, startDecider, testFolder } from '../approval/support/decider-process.js';
import { resultOf, roles } from '../approval/support/results.js';
import { scriptedModel } from '../approval/support/workshop.js';

/** The agent of this process; the tool that it waits on runs where the decision is given. */
function agentOn(kind: string, folder: string): Agent {
  const store = kind === 'file' ? fileStore(`${folder}/store`) : new SqliteStore(`${folder}/store.db`);
  onTestFinished(() => store.close());
  const pay = defineTool({
    name: 'pay',
    description: 'pay',
    input: z.looseObject({}),
    needsApproval: true,
    execute: () => {
      throw new Error('the call runs where it was approved');
    },
  });
  const turns = [[{ id: 'p', tool: 'pay' }], 'done', 'more'];
  return createAgent({
    provider: scriptedModel(turns),
    tools: [pay],
    store,
    ports: { logger: { warn: () => undefined } },
  });
}

describe.each(['file', 'sqlite'])('a turn that waits for a person, on %s', (kind) => {
  it('H5 is decided and committed by another process, and this one goes on with the conversation', async () => {
    const folder = testFolder();
    const session = agentOn(kind, folder).session({ id: 'chat' });
    const { approvalId = '' } = await session.send('Go');
    const decider = await startDecider(kind, folder);
    expect(await decider.ask(`decide ${approvalId}`)).toEqual({ finishReason: 'stop' });
    expect(roles(await session.messages())).toBe('user assistant(p) tool(p) assistant');
    expect(await session.pending()).toBeNull();
    expect(effectsIn(folder)).toEqual([approvalId]);
    expect((await session.send('More')).text).toBe('more');
  });

  it('that dies in the approved call leaves a turn that this process finishes, the call not run again', async () => {
    const folder = testFolder();
    const session = agentOn(kind, folder).session({ id: 'chat' });
    const { approvalId = '' } = await session.send('Go');
    const decider = await startDecider(kind, folder, 'die');
    await decider.ask(`decide ${approvalId}`).catch(() => undefined);
    expect(await ended(decider)).toBe('SIGKILL');
    expect(await session.pending()).toEqual({ status: 'in-progress' });
    expect((await session.resume())?.text).toBe('done');
    const messages = await session.messages();
    expect(roles(messages)).toBe('user assistant(p) tool(p) assistant');
    expect(resultOf(messages, 'p')).toMatchObject({ kind: 'interrupted', isError: true });
    expect(effectsIn(folder)).toEqual([approvalId]);
  });

  it('many processes that decide at once commit it once', async () => {
    const folder = testFolder();
    const session = agentOn(kind, folder).session({ id: 'chat' });
    const { approvalId = '' } = await session.send('Go');
    const deciders = await Promise.all([1, 2, 3, 4].map(() => startDecider(kind, folder)));
    const answers = await Promise.all(deciders.map((decider) => decider.ask(`decide ${approvalId}`)));
    expect(answers.filter(({ finishReason }) => finishReason === 'stop')).toHaveLength(1);
    for (const { code } of answers.filter(({ finishReason }) => finishReason === undefined))
      expect(['LOUSHO_APPROVAL_NOT_FOUND', 'LOUSHO_SESSION_BUSY']).toContain(code);
    expect(roles(await session.messages())).toBe('user assistant(p) tool(p) assistant');
    expect(effectsIn(folder)).toEqual([approvalId]);
  });
});
