import { type CreateAgentOptions, createAgent, defineSkill, type Skill } from '@lousho/core';
import { mockModel } from '@lousho/core/testing';
import { memoryStore } from '@lousho/store-memory';
import { describe, expect, it, vi } from 'vitest';
import { diesAtSave } from '../session/support/mortal-view.js';
import { codeOf } from '../support/rejections.js';

const refunds = defineSkill({
  name: 'refunds',
  description: 'Pays orders back. Use it for every refund.',
  content: '# Refunds\n\nAsk for the number of the order first.',
});
const billing = defineSkill({ name: 'billing', description: 'Explains bills.', content: 'Be patient.' });

const asks = (name: unknown) => ({ toolCalls: [{ name: 'load_skill', id: 'c1', args: { name } }] });

describe('the skills of an agent', () => {
  it('1.1 the model sees names and descriptions, and reads the content of one with load_skill', async () => {
    const provider = mockModel([asks('refunds'), 'done']);
    const { toolCalls } = await createAgent({ provider, skills: [refunds, billing] }).send('Go');
    const [tool] = provider.calls[0]?.tools ?? [];
    expect(tool?.name).toBe('load_skill');
    for (const { name, description, content } of [refunds, billing]) {
      expect(tool?.description).toContain(`${name}: ${description}`);
      expect(JSON.stringify(provider.calls[0])).not.toContain(content.slice(0, 9));
    }
    expect(tool?.inputSchema).toMatchObject({ properties: { name: { enum: ['refunds', 'billing'] } } });
    expect(toolCalls).toEqual([
      { id: 'c1', name: 'load_skill', args: { name: 'refunds' }, result: refunds.content },
    ]);
  });

  it.each(['unknown', '', 7, undefined, '__proto__'])('a skill that is not there: %j', async (name) => {
    const provider = mockModel([asks(name), 'done']);
    const { toolCalls } = await createAgent({ provider, skills: [refunds] }).send('Go');
    expect(toolCalls[0]).toMatchObject({
      isError: true,
      result: { kind: 'validation', issues: [{ path: 'name', message: 'Expected one of refunds' }] },
    });
  });

  it('are a tool as any other to hooks', async () => {
    const provider = mockModel([asks('refunds'), 'done']);
    const hooks = [{ name: 'guard', beforeToolCall: () => ({ deny: 'not now' }) }];
    const { toolCalls } = await createAgent({ provider, skills: [refunds], hooks }).send('Go');
    expect(toolCalls[0]).toMatchObject({ result: { kind: 'denied' } });
  });

  it('G9 are no part of what is compared when a run is resumed; a call that needs them is', async () => {
    const store = memoryStore();
    const warn = vi.fn();
    const start = (options: Partial<CreateAgentOptions>, turns: Parameters<typeof mockModel>[0]) =>
      createAgent({
        provider: mockModel(turns),
        store,
        onAgentDrift: 'error',
        ports: { logger: { warn } },
        ...options,
      });
    const dies = { store: diesAtSave(store, 2), ports: { logger: { warn: () => undefined } } };
    await start({ ...dies, skills: [refunds] }, [asks('refunds')])
      .send('Go', { sessionId: 'run' })
      .catch(() => undefined);
    expect(await codeOf(start({}, []).resume('run'))).toBe('LOUSHO_RESUME_TOOL_MISSING');
    expect((await start({ skills: [billing, refunds] }, ['done']).resume('run'))?.text).toBe('done');
    expect(warn).not.toHaveBeenCalled();
  });

  it('beside tools that are chosen per run', async () => {
    const provider = mockModel([asks('refunds'), 'done']);
    const agent = createAgent({ provider, skills: [refunds], tools: () => [] });
    expect((await agent.send('Go')).toolCalls[0]?.result).toBe(refunds.content);
  });

  it.each([
    ['a name with capitals', { name: 'Refunds' }],
    ['a name with a dash at its end', { name: 'refunds-' }],
    ['a name of 65 characters', { name: 'x'.repeat(65) }],
    ['no description', { description: ' ' }],
    ['a description of 1,025 characters', { description: 'x'.repeat(1_025) }],
    ['no content', { content: '' }],
    ['an unknown option', { contents: 'x' }],
  ])('%s is refused, by defineSkill() and by createAgent()', (_, change) => {
    const skill = { ...refunds, ...change } as Skill;
    const refusal = expect.objectContaining({ code: 'LOUSHO_CONFIG_INVALID' });
    expect(() => defineSkill(skill)).toThrow(refusal);
    expect(() => createAgent({ provider: mockModel([]), skills: [skill] })).toThrow(refusal);
  });

  it('two of one name, and a tool with the name of theirs, are refused', () => {
    const make = (options: Partial<CreateAgentOptions>) => () =>
      createAgent({ provider: mockModel([]), skills: [refunds], ...options });
    expect(make({ skills: [refunds, { ...billing, name: 'refunds' }] })).toThrow(
      expect.objectContaining({ code: 'LOUSHO_CONFIG_INVALID' }),
    );
    const tools = [
      { name: 'load_skill', description: '', inputSchema: {}, input: {} as never, execute: () => 1 },
    ];
    expect(make({ tools })).toThrow(expect.objectContaining({ code: 'LOUSHO_TOOL_DUPLICATE' }));
    expect(make({ skills: [] })).not.toThrow();
  });
});
