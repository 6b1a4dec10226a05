import { fileStore } from '@lousho/store-file';
import { afterEach, describe, expect, it, vi } from 'vitest';

describe('a file store on a Node that is too old', () => {
  afterEach(() => {
    vi.unstubAllGlobals();
  });

  it('is refused by name, before an agent is made with it', () => {
    // As Node 20.9 is: it has no way to load a module late.
    const { getBuiltinModule: _, ...rest } = process;
    vi.stubGlobal('process', { ...rest, versions: { node: '20.9.0' } });
    const message = 'Expected Node 20.19.0 or newer, got Node 20.9.0';
    expect(() => fileStore('runs')).toThrow(
      expect.objectContaining({ code: 'LOUSHO_CONFIG_INVALID', detail: message }),
    );
  });
});
