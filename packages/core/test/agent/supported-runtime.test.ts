import { createAgent } from '@lousho/core';
import { mockModel } from '@lousho/core/testing';
import { afterEach, describe, expect, it, vi } from 'vitest';

const make = () => createAgent({ provider: mockModel(['Hello.']) });

describe('createAgent()', () => {
  afterEach(() => {
    vi.unstubAllGlobals();
  });

  it.each(['18.20.8', '20.18.3', '20.9.0'])('refuses Node %s by name', (node) => {
    vi.stubGlobal('process', { ...process, versions: { node } });
    const message = `Expected Node 20.19.0 or newer, got Node ${node}`;
    expect(make).toThrow(expect.objectContaining({ code: 'LOUSHO_CONFIG_INVALID', detail: message }));
  });

  it.each(['20.19.0', '22.2.0', '100.0.0'])('takes Node %s', (node) => {
    vi.stubGlobal('process', { ...process, versions: { node } });
    expect(make).not.toThrow();
  });

  it('takes a runtime that is no Node', () => {
    vi.stubGlobal('process', undefined);
    expect(make).not.toThrow();
  });
});
