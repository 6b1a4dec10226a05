import {
  approval,
  type ConformanceHarness,
  checkpoint,
  decision,
  derivedSeed,
  type Random,
  seeded,
  user,
  type WorldClock,
  worldClock,
} from '@lousho/conformance';
import type { BundledStore, CheckpointStatus } from '@lousho/core';
import { describe, expect, it } from 'vitest';
import dynamodb from '../../src/conformance/dynamodb.harness.js';
import { encryptedHarness } from '../../src/conformance/encrypted.harness.js';
import file from '../../src/conformance/file.harness.js';
import kv from '../../src/conformance/kv.harness.js';
import memory from '../../src/conformance/memory.harness.js';
import postgres from '../../src/conformance/postgres.harness.js';
import redis from '../../src/conformance/redis.harness.js';
import sqlite from '../../src/conformance/sqlite.harness.js';

const SEED = Math.floor(Math.random() * 1e9);
const ROUNDS = process.env.DEEP === '1' ? 20 : 2;
const RUNS = 24;
const STATUSES: readonly CheckpointStatus[] = ['in-progress', 'awaiting-approval', 'finished', 'finished'];
const HOUR_MS = 3_600_000;
const refused = { code: 'LOUSHO_CONFIG_INVALID', field: 'status' };

/** One run as the contract judges it. */
interface Run {
  readonly id: string;
  readonly status: CheckpointStatus;
  readonly savedAt: number;
  /** Its approval; undecided without an instant. */
  readonly decidedAt: number | undefined;
  /** The transcript of the conversation that it is a turn of. */
  readonly committedAt: number | undefined;
}

describe.each(
  [memory, file, sqlite, postgres, redis, dynamodb, kv, encryptedHarness(sqlite)].map(
    (one) => [one.name, one] as const,
  ),
)('a prune of %s', (_, harness) => {
  it(`takes what is over and old, and nothing else (seed ${SEED})`, { timeout: 120_000 }, async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const random = seeded(derivedSeed(SEED, `round ${round}`));
      await withStore(harness, async (store, clock) => {
        const runs = await saveRuns(store, clock, random);
        const olderThanMs = random.int(RUNS) * HOUR_MS;
        const before = clock.now() - olderThanMs;
        const kept = runs.filter((run) => !isOver(run, before));
        const asked = runs.filter(({ status, decidedAt }) => {
          return status !== 'finished' || decidedAt === undefined || decidedAt >= before;
        });
        const spoken = runs.filter(({ status, committedAt }) => {
          return committedAt !== undefined && (status !== 'finished' || committedAt >= before);
        });
        for (const status of ['in-progress', 'awaiting-approval'] as never[]) {
          await expect(store.prune({ olderThanMs: 0, status })).rejects.toMatchObject(refused);
        }
        expect(await store.checkpoints.ids?.()).toEqual(runs.map(({ id }) => `${id}.turn-0`));
        const isTold = await store.prune({ olderThanMs, ...(random.int(2) === 0 && { status: 'finished' }) });
        expect(await store.checkpoints.ids?.()).toEqual(kept.map(({ id }) => `${id}.turn-0`));
        expect(await store.approvals.ids?.()).toEqual(asked.map(({ id }) => `approval-${id}`));
        expect(await store.sessions.ids?.()).toEqual(spoken.map(({ id }) => id));
        expect(isTold.checkpoints).toBe(runs.length - kept.length);
        for (const { id } of kept) expect(await store.checkpoints.history?.(`${id}.turn-0`)).toHaveLength(1);
      });
    }
  });
});

function isOver({ status, savedAt }: Run, before: number): boolean {
  return status === 'finished' && savedAt < before;
}

/** One an hour, so that each age is an age of its own. */
async function saveRuns(store: BundledStore, clock: WorldClock, random: Random): Promise<Run[]> {
  const runs: Run[] = [];
  for (let count = 0; count < RUNS; count++) {
    const id = `run-${String(count).padStart(2, '0')}`;
    const sessionId = `${id}.turn-0`;
    const status = STATUSES[random.int(STATUSES.length)] as CheckpointStatus;
    const [isDecided, isSpoken] = [random.int(2) === 0, random.int(2) === 0];
    const approvalId = `approval-${id}`;
    await store.checkpoints.save(sessionId, checkpoint({ sessionId, revision: 1, status, approvalId }));
    await store.approvals.save(approval({ id: approvalId, sessionId: id }), {});
    if (isDecided) await store.approvals.decide(approvalId, decision({ id: approvalId }));
    if (isSpoken) await store.sessions.saveIf(id, 0, [user('Hello')]);
    const now = clock.now();
    runs.push({
      id,
      status,
      savedAt: now,
      decidedAt: isDecided ? now : undefined,
      committedAt: isSpoken ? now : undefined,
    });
    await clock.advance(HOUR_MS);
  }
  return runs;
}

async function withStore(
  harness: ConformanceHarness,
  work: (store: BundledStore, clock: WorldClock) => Promise<void>,
): Promise<void> {
  const clock = worldClock();
  const storage = await harness.createStorage({ clock });
  const store = (await storage.open()) as BundledStore;
  await work(store, clock);
  await store.close();
  await storage.dispose();
}
