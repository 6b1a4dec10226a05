import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import {
  type AgentTraits,
  describeDrift,
  driftBetween,
  fingerprint,
  withInstructionsOf,
} from '../../dist/run/fingerprint.js';
import { shortHash } from '../../dist/run/short-hash.js';

const schema = (type: string) => ({ type: 'object', properties: { order: { type } }, required: ['order'] });
const BASE: AgentTraits = {
  model: 'small-1',
  instructions: 'Be brief.',
  tools: [
    { name: 'look_up', inputSchema: schema('number') },
    { name: 'refund', inputSchema: schema('number') },
  ],
};

describe('a fingerprint', () => {
  it('G1 is the same for tools in another order, keys in another order, and other functions', async () => {
    const print = await fingerprint(BASE);
    const [first, second] = BASE.tools;
    const turned = { required: ['order'], properties: { order: { type: 'number' } }, type: 'object' };
    const same: AgentTraits[] = [
      { ...BASE, tools: [second, first] as AgentTraits['tools'] },
      { ...BASE, tools: [{ name: 'refund', inputSchema: turned }, first] as AgentTraits['tools'] },
      {
        ...BASE,
        tools: BASE.tools.map((tool) => ({ ...tool, execute: () => Math.random(), description: 'new' })),
      },
    ];
    for (const traits of same) expect(await fingerprint(traits)).toEqual(print);
  });

  it('G2 is another one for another model, schema, set of tools, or instructions', async () => {
    const [first, second] = BASE.tools as [AgentTraits['tools'][number], AgentTraits['tools'][number]];
    const others: AgentTraits[] = [
      BASE,
      { ...BASE, model: 'large-2' },
      { ...BASE, model: undefined },
      { ...BASE, instructions: 'Be kind.' },
      { ...BASE, tools: [first] },
      { ...BASE, tools: [] },
      { ...BASE, tools: [first, second, { name: 'ship', inputSchema: {} }] },
      { ...BASE, tools: [first, { ...second, name: 'pay_back' }] },
      { ...BASE, tools: [first, { ...second, inputSchema: schema('string') }] },
    ];
    const hashes = await Promise.all(others.map(async (traits) => (await fingerprint(traits)).hash));
    expect(new Set(hashes).size).toBe(others.length);
    for (const hash of hashes) expect(hash).toMatch(/^[0-9a-f]{16}$/);
  });

  it('is another one for a schema that was changed in place', async () => {
    const inputSchema: Record<string, unknown> = { type: 'object' };
    const traits = { model: undefined, instructions: undefined, tools: [{ name: 'a', inputSchema }] };
    const before = await fingerprint(traits);
    inputSchema.required = ['city'];
    expect(driftBetween(before, await fingerprint(traits))?.toolsChanged).toEqual(['a']);
  });

  it('has the beginning of a SHA-256 of the instructions, so that any runtime computes the same', async () => {
    const expected = createHash('sha256').update('Be brief.').digest('hex').slice(0, 16);
    expect((await fingerprint(BASE)).instructions).toBe(expected);
    expect(await shortHash('ü')).toBe(createHash('sha256').update('ü').digest('hex').slice(0, 16));
    const many = Array.from({ length: 1_200 }, (_, n) => `text ${n}`);
    for (const text of many)
      expect(await shortHash(text)).toBe(createHash('sha256').update(text).digest('hex').slice(0, 16));
  });

  it('names without instructions as for empty ones', async () => {
    const { instructions } = await fingerprint({ ...BASE, instructions: undefined });
    expect(instructions).toBe((await fingerprint({ ...BASE, instructions: '' })).instructions);
  });

  it('is safe for tools that have names of the language itself', async () => {
    const odd = {
      ...BASE,
      tools: ['__proto__', 'constructor'].map((name) => ({ name, inputSchema: schema('number') })),
    };
    const print = await fingerprint(odd);
    expect(driftBetween(print, await fingerprint({ ...odd, tools: [] }))?.toolsRemoved.toSorted()).toEqual([
      '__proto__',
      'constructor',
    ]);
  });
});

describe('the drift between two fingerprints', () => {
  it('is none for the same, for a missing one and for one of another version', async () => {
    const print = await fingerprint(BASE);
    const other = await fingerprint({ ...BASE, model: 'large-2' });
    expect(driftBetween(print, print)).toBeNull();
    expect(driftBetween(undefined, print)).toBeNull();
    expect(driftBetween({ ...other, version: 0 }, print)).toBeNull();
  });

  it('names each part that changed, and says so in words', async () => {
    const now = await fingerprint({
      model: 'large-2',
      instructions: 'Be kind.',
      tools: [
        { name: 'look_up', inputSchema: schema('string') },
        { name: 'ship', inputSchema: {} },
      ],
    });
    const drift = driftBetween(await fingerprint(BASE), now);
    expect(drift).toEqual({
      model: { from: 'small-1', to: 'large-2' },
      toolsAdded: ['ship'],
      toolsRemoved: ['refund'],
      toolsChanged: ['look_up'],
      instructions: true,
    });
    const words = describeDrift(drift as NonNullable<typeof drift>);
    for (const word of ['small-1', 'large-2', 'ship', 'refund', 'look_up', 'instructions'])
      expect(words).toContain(word);
  });

  it('of a run that goes on keeps the instructions it began with', async () => {
    const stored = await fingerprint(BASE);
    const current = await fingerprint({ ...BASE, model: 'large-2', instructions: 'Be kind.' });
    const next = await withInstructionsOf(stored, current);
    expect(next).toEqual(await fingerprint({ ...BASE, model: 'large-2' }));
    expect(await withInstructionsOf(undefined, current)).toEqual(current);
    expect(await withInstructionsOf(stored, stored)).toEqual(stored);
  });
});
