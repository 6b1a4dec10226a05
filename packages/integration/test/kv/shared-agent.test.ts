import { fileURLToPath } from 'node:url';
import type { LeaseHolder } from '@lousho/core/contract';
import { Miniflare } from 'miniflare';
import { rolldown } from 'rolldown';
import { expect, it, onTestFinished } from 'vitest';

const RENEW_EVERY_MS = 1_000;

async function startWorker(): Promise<(path: string) => Promise<unknown>> {
  const input = fileURLToPath(new URL('./fixtures/shared-agent-worker.mjs', import.meta.url));
  const bundle = await rolldown({ input });
  const { output } = await bundle.generate({ format: 'esm' });
  await bundle.close();
  const worker = new Miniflare({
    modules: true,
    script: output[0].code,
    compatibilityDate: '2025-09-01',
    kvNamespaces: ['RUNS'],
    cf: false,
  });
  onTestFinished(() => worker.dispose());
  await worker.ready;
  return async (path) => (await worker.dispatchFetch(`http://worker.example${path}`)).json();
}

it('a Worker’s run keeps its lease when the request that began before it has ended', async () => {
  const ask = await startWorker();
  const takeableAt = async () => {
    const holder = (await ask('/lease/b')) as LeaseHolder | null;
    return Date.parse(holder?.takeableAt ?? '');
  };
  const first = ask('/run/a/1500');
  await expect.poll(() => ask('/lease/a')).not.toBeNull();
  const second = ask('/run/b/9000');
  expect(await first).toEqual({ text: 'Done.' });
  const then = await takeableAt();
  // The timers of a request end with it: this one's own ones renew it.
  await expect.poll(takeableAt, { timeout: 6_000 }).toBeGreaterThan(then + 2 * RENEW_EVERY_MS);
  expect(await second).toEqual({ text: 'Done.' });
}, 40_000);
