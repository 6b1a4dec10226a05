import { on } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Checkpoint } from '@lousho/core/contract';
import type { ConformanceHarness, HarnessModule } from '../../model/harness.js';
import { ID } from '../../world/builders.js';
import { clientOf } from '../../world/client.js';
import { LONG_TTL } from '../flows/flow.js';
import { inStorage } from '../storage/private-storage.js';
import type { ThreadNews, ThreadOrder, ThreadReport } from './thread-order.js';

export const THREADS = 8;

export interface ThreadTrial {
  readonly saves: number;
  readonly bytes: number;
}

/** Threads that save to one id at the same time, without a lease: each save is whole, the last one stays (A19). */
export function threadsWithoutLeases(
  harness: ConformanceHarness,
  trial: ThreadTrial,
): Promise<readonly string[]> {
  return inStorage(harness, async (storage) => {
    const reports = await runThreads({ ...storage, ...trial, id: ID, leased: false });
    const client = await openIn(storage);
    const [loaded, history] = [await client.checkpoints.load(ID), await client.checkpoints.history(ID)];
    await client.close();
    const torn = [loaded, ...history.map(({ checkpoint }) => checkpoint)].filter(
      (each) => !isWhole(each, trial.bytes),
    );
    return [
      ...failuresOf(reports, trial.saves),
      ...(torn.length > 0 ? [`${torn.length} checkpoints are no thread's save`] : []),
      ...(loaded?.revision === trial.saves
        ? []
        : [`revision ${loaded?.revision} is stored, and nobody saved it last`]),
    ];
  });
}

/** Threads that take turns by the lease: every accepted save is in one unbroken line (A19). */
export function threadsWithLeases(
  harness: ConformanceHarness,
  trial: ThreadTrial,
): Promise<readonly string[]> {
  return inStorage(harness, async (storage) => {
    const reports = await runThreads({ ...storage, ...trial, id: ID, leased: true });
    const client = await openIn(storage);
    const history = (await client.checkpoints.history(ID)).map(({ checkpoint }) => checkpoint.revision);
    await client.close();
    const newest = THREADS * trial.saves;
    const line = history.map((_, at) => newest - at);
    return [
      ...failuresOf(reports, trial.saves),
      ...(history.join() === line.join()
        ? []
        : [`the history is ${history.join()}, promised ${line.join()}`]),
    ];
  });
}

/** The lease of a thread's live run is refused to every other thread of its process (A19). */
export function otherThread(harness: ConformanceHarness): Promise<readonly string[]> {
  return inStorage(harness, async (storage) => {
    const client = await openIn(storage);
    await client.checkpoints.acquireLease(ID, 'thread-0', LONG_TTL);
    const trial = { ...storage, id: ID, owner: 'thread-1', saves: 1, bytes: 100, leased: true };
    const news = newsOf(trial);
    const early = (await news.next()).value;
    await client.checkpoints.releaseLease(ID, 'thread-0');
    if (early !== 'refused') {
      await client.close();
      return [`another thread, which asked for the lease of a live run, came to ${JSON.stringify(early)}`];
    }
    const after = await reportIn(news);
    await client.close();
    return after.saved === 1 ? [] : [`after the release the other thread failed: ${after.failure}`];
  });
}

function runThreads(order: Omit<ThreadOrder, 'owner'>): Promise<readonly ThreadReport[]> {
  const reports = Array.from({ length: THREADS }, (_, thread) =>
    reportIn(newsOf({ ...order, owner: `thread-${thread}` })),
  );
  return Promise.all(reports);
}

/** What a thread tells until it ends; an error that it did not catch rejects. */
async function* newsOf(order: ThreadOrder): AsyncGenerator<ThreadNews, undefined> {
  const worker = new Worker(new URL('thread.js', import.meta.url), { workerData: order });
  for await (const [news] of on(worker, 'message', { close: ['exit'] })) yield news as ThreadNews;
  return undefined;
}

async function reportIn(news: AsyncIterable<ThreadNews>): Promise<ThreadReport> {
  for await (const each of news) if (each !== 'refused') return each;
  throw new Error('a thread ended without a report');
}

function failuresOf(reports: readonly ThreadReport[], saves: number): readonly string[] {
  return reports.flatMap(({ failure, saved }) =>
    failure !== undefined || saved !== saves ? [`a thread saved ${saved} of ${saves}: ${failure}`] : [],
  );
}

/** The text of a save names its revision and its writer, at full length. */
function isWhole(checkpoint: Checkpoint | null, bytes: number): boolean {
  const text = checkpoint?.messages[0]?.content;
  return (
    typeof text === 'string' && text.length === bytes && /^revision \d+ by thread-\d \d+ \.+$/.test(text)
  );
}

async function openIn({ module, config }: { readonly module: string; readonly config: unknown }) {
  const { openFromConfig } = (await import(module)) as HarnessModule;
  return clientOf((await openFromConfig?.(config)) ?? {});
}
