import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ConformanceHarness, HarnessModule } from '../model/harness.js';

/** The default export of a module; its own address is filled in, so that other processes can load it too. */
export async function loadHarness(path: string): Promise<ConformanceHarness> {
  const url = pathToFileURL(resolve(path)).href;
  const { default: harness, openFromConfig } = (await import(url)) as Partial<HarnessModule>;
  if (typeof harness?.createStorage !== 'function' || typeof harness.name !== 'string') {
    throw new TypeError(`Expected ${path} to export a ConformanceHarness as its default`);
  }
  return openFromConfig ? { module: url, ...harness } : harness;
}
