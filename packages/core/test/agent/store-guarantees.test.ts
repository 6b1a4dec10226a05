import { type CheckpointStore, type CreateAgentOptions, createAgent } from '@lousho/core';
import { mockModel } from '@lousho/core/testing';
import { describe, expect, it } from 'vitest';

type Capabilities = NonNullable<CheckpointStore['capabilities']>;

function storeOf(capabilities?: Capabilities, isFenced = true): CheckpointStore {
  return {
    save: async () => {},
    load: async () => null,
    delete: async () => {},
    ...(isFenced && { saveIfLeased: async () => true }),
    ...(capabilities && { capabilities }),
  };
}

function warningsOf(checkpoints: CheckpointStore, options: Partial<CreateAgentOptions> = {}): string[] {
  const warnings: string[] = [];
  const ports = { logger: { warn: (message: string) => void warnings.push(message) } };
  createAgent({ provider: mockModel([]), store: { checkpoints }, ports, ...options });
  return warnings;
}

const REQUIRED = { requireFencing: 'atomic' } as const;

describe('what a store does not guarantee', () => {
  it('is said once per store, whatever the number of agents', () => {
    const store = storeOf({ fencing: 'best-effort', reads: 'eventual' });
    const [warning, ...more] = warningsOf(store);
    expect(warning).toContain('fencing: best-effort');
    expect(warning).toContain('reads: eventual');
    expect(more).toEqual([]);
    expect(warningsOf(store)).toEqual([]);
    expect(warningsOf(storeOf({ fencing: 'best-effort', reads: 'eventual' }))).toHaveLength(1);
  });

  it('is nothing for a store that fences atomically and reads the latest', () => {
    expect(warningsOf(storeOf({ fencing: 'atomic', reads: 'latest' }), REQUIRED)).toEqual([]);
  });

  it.each([
    [{ fencing: 'atomic' }, 'reads: eventual'],
    [{ fencing: 'none', reads: 'latest' }, 'fencing: none'],
    [{ reads: 'latest' }, 'fencing: none'],
    [undefined, 'fencing: none'],
  ] as const)('a store that declares %j: %s', (capabilities, words) => {
    const warnings = warningsOf(storeOf(capabilities));
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain(words);
  });

  it('a store that cannot fence does not, whatever it declares', () => {
    expect(warningsOf(storeOf({ fencing: 'atomic', reads: 'latest' }, false))[0]).toContain('fencing: none');
  });
});

describe("requireFencing: 'atomic'", () => {
  it.each([
    ['best-effort fencing', storeOf({ fencing: 'best-effort', reads: 'latest' })],
    ['no fencing', storeOf({ fencing: 'none' })],
    ['no capabilities', storeOf()],
    ['no saveIfLeased', storeOf({ fencing: 'atomic', reads: 'latest' }, false)],
  ])('refuses a store with %s when the agent is made', (_, checkpoints) => {
    expect(() => warningsOf(checkpoints, REQUIRED)).toThrow(
      expect.objectContaining({ code: 'LOUSHO_CONFIG_INVALID', field: 'store' }),
    );
  });

  it('refuses to be without a store', () => {
    expect(() => createAgent({ provider: mockModel([]), ...REQUIRED })).toThrow(
      expect.objectContaining({ code: 'LOUSHO_CONFIG_INVALID' }),
    );
  });

  it.each(['best-effort', true, 'ATOMIC', null])('%s is no such requirement', (bad) => {
    const options = { provider: mockModel([]), requireFencing: bad as 'atomic' };
    expect(() => createAgent(options)).toThrow(
      expect.objectContaining({ code: 'LOUSHO_CONFIG_INVALID', field: 'requireFencing' }),
    );
  });
});
