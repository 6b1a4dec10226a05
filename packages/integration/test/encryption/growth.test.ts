import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { user } from '@lousho/conformance';
import { type BundledStore, encrypted, type Message } from '@lousho/core';
import { fileStore } from '@lousho/store-file';
import { describe, expect, it, onTestFinished } from 'vitest';
import { keys } from './support/keys.js';

const SAVES = 200;
const MESSAGE = 'x'.repeat(1_000);

describe('a run that grows by a message a save', () => {
  it('writes as much with its last save as with its second, encrypted as well', async () => {
    const plain = await bytesOfSaves((store) => store);
    const sealed = await bytesOfSaves((store) => encrypted(store, keys('k1')));
    // A third more for base64, and an envelope around the message and around the head.
    for (const index of [1, SAVES - 1]) expect(sealed(index)).toBeLessThan(plain(index) * (4 / 3) + 500);
    expect(sealed(SAVES - 1)).toBeLessThan(sealed(1) + 50);
  });

  it('goes on so in another process, which has only loaded it', async () => {
    const sealed = await bytesOfSaves((store) => encrypted(store, keys('k1')), { reopenAt: SAVES / 2 });
    expect(sealed(SAVES / 2)).toBeLessThan(sealed(1) + 50);
  });
});

/** How many bytes each save adds to the log of a file store. */
async function bytesOfSaves(
  wrap: (store: BundledStore) => BundledStore,
  { reopenAt }: { readonly reopenAt?: number } = {},
): Promise<(index: number) => number> {
  const dir = mkdtempSync(join(tmpdir(), 'lousho-growth-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const sizes: number[] = [];
  let store = wrap(fileStore(dir));
  let messages: readonly Message[] = [];
  await store.checkpoints.acquireLease?.('run', 'a', 60_000);
  for (let revision = 1; revision <= SAVES; revision++) {
    if (revision - 1 === reopenAt) {
      await store.checkpoints.releaseLease?.('run', 'a');
      await store.close();
      store = wrap(fileStore(dir));
      await store.checkpoints.acquireLease?.('run', 'a', 60_000);
      messages = (await store.checkpoints.load('run'))?.messages ?? [];
    }
    const unchangedMessages = messages.length;
    messages = [...messages, user(`${revision} ${MESSAGE}`)];
    const before = bytesUnder(dir);
    const run = { sessionId: 'run', revision, stepIndex: revision, messages };
    await store.checkpoints.saveIfLeased?.('run', run, 'a', { unchangedMessages });
    sizes.push(bytesUnder(dir) - before);
  }
  await store.close();
  return (index) => sizes[index] as number;
}

function bytesUnder(dir: string): number {
  return readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}
