import { startPostgres } from '@lousho/test-backends';
import pg from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { checkpoint, grown } from './support/checkpoint.js';
import { type Ask, freshSchema, openStore } from './support/open-store.js';

/** A transaction beside the store that holds the row of an id. */
async function holdRow(url: string, schema: string, sessionId: string) {
  const client = new pg.Client(url);
  await client.connect();
  onTestFinished(() => client.end());
  await client.query('BEGIN');
  await client.query(`SELECT FROM ${schema}.checkpoints WHERE session_id = '${sessionId}' FOR UPDATE`);
  return {
    /** The lease ends, for whoever reads the time from here on. */
    endLease: async () => {
      const now = 'floor(extract(epoch FROM clock_timestamp()) * 1000)';
      await client.query(`UPDATE ${schema}.checkpoints SET lease_expires_at = ${now} + 1`);
      await client.query('SELECT pg_sleep(0.01)');
    },
    /** Server time in milliseconds, some of them after the call. */
    later: async () => {
      const { rows } = await client.query<{ now: number }>(
        'SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::float8 AS now FROM pg_sleep(0.05)',
      );
      return Number(rows[0]?.now);
    },
    letGo: () => client.query('COMMIT'),
  };
}

/** Until so many statements over this schema have begun and wait for a lock. */
async function untilWaiting(ask: Ask, schema: string, waiting: number): Promise<void> {
  const query = `SELECT count(*)::int AS waiting FROM pg_stat_activity
    WHERE wait_event_type = 'Lock' AND query LIKE '%${schema}%'`;
  await expect.poll(() => ask(query), { timeout: 20_000 }).toEqual([{ waiting }]);
}

describe('locks', () => {
  it('A32 a taker that waited for a lock decides by the time at which it got it', async () => {
    const { url, schema, ask } = await freshSchema();
    const { checkpoints } = openStore(url, { schema });
    await checkpoints.acquireLease('a', 'worker-a', 60_000);
    const held = await holdRow(url, schema, 'a');
    const taking = checkpoints.acquireLease('a', 'worker-b', 5_000);
    await untilWaiting(ask, schema, 1);
    await held.endLease();
    await held.letGo();
    expect(await taking).toMatchObject({ epoch: expect.any(Number) });
    const holder = await checkpoints.readLease('a');
    expect(holder?.owner).toBe('worker-b');
    const left = Date.parse(holder?.takeableAt ?? '') - Date.parse(holder?.since ?? '');
    expect(left).toBe(5_000);
  });

  it('A32 a renewal that waited for a lock counts from when it got it', async () => {
    const { url, schema, ask } = await freshSchema();
    const { checkpoints } = openStore(url, { schema });
    await checkpoints.acquireLease('a', 'worker-a', 60_000);
    const held = await holdRow(url, schema, 'a');
    const renewing = checkpoints.renewLease('a', 'worker-a', 5_000);
    await untilWaiting(ask, schema, 1);
    const now = await held.later();
    await held.letGo();
    expect(await renewing).toBe(true);
    const holder = await checkpoints.readLease('a');
    expect(Date.parse(holder?.takeableAt ?? '')).toBeGreaterThanOrEqual(now + 5_000);
  });

  it('A32 of a late renewal and a taker that waited for the same lock one has the id', async () => {
    const { url, schema, ask } = await freshSchema();
    const { checkpoints } = openStore(url, { schema });
    await checkpoints.acquireLease('a', 'worker-a', 60_000);
    const held = await holdRow(url, schema, 'a');
    const renewing = checkpoints.renewLease('a', 'worker-a', 5_000);
    const taking = checkpoints.acquireLease('a', 'worker-b', 5_000);
    await untilWaiting(ask, schema, 2);
    await held.endLease();
    await held.letGo();
    expect(await renewing).toBe((await taking) === false);
  });

  it('a save that waited for a lock is refused when the id was taken meanwhile', async () => {
    const { url, schema, ask } = await freshSchema();
    const { checkpoints } = openStore(url, { schema });
    await checkpoints.acquireLease('a', 'worker-a', 60_000);
    const client = new pg.Client(url);
    await client.connect();
    onTestFinished(() => client.end());
    await client.query('BEGIN');
    await client.query(
      `UPDATE ${schema}.checkpoints SET lease_owner = '"worker-b"', lease_epoch = lease_epoch + 1`,
    );
    const saving = checkpoints.saveIfLeased('a', grown('a', 1), 'worker-a');
    await untilWaiting(ask, schema, 1);
    await client.query('COMMIT');
    expect(await saving).toBe(false);
    expect(await checkpoints.load('a')).toBeNull();
    expect(await checkpoints.history('a')).toEqual([]);
  });
});

describe('writers of one id', () => {
  it('plain saves at once are each stored once, in a history without a gap', async () => {
    const { url, schema } = await freshSchema();
    const stores = Array.from({ length: 8 }, () => openStore(url, { schema }));
    const saves = stores.flatMap(({ checkpoints }, by) =>
      [1, 2].map((n) =>
        checkpoints.save(
          'a',
          checkpoint({
            sessionId: 'a',
            messages: Array.from({ length: n * (by + 1) }, () => ({ role: 'user', content: `${by}` })),
          }),
        ),
      ),
    );
    await Promise.all(saves);
    const history = (await stores[0]?.checkpoints.history('a')) ?? [];
    expect(history).toHaveLength(16);
    for (const { checkpoint: kept } of history) {
      // Each entry has the messages of its own writer, and of nobody else.
      expect(new Set(kept.messages.map((message) => message.content)).size).toBe(1);
    }
    expect(await stores[1]?.checkpoints.load('a')).toEqual(history[0]?.checkpoint);
  });

  it('saves and deletes at once leave no row behind', async () => {
    const { url, schema, ask } = await freshSchema();
    const stores = Array.from({ length: 4 }, () => openStore(url, { schema }));
    for (let round = 0; round < 10; round++) {
      await Promise.all(
        stores.map(({ checkpoints }, by) =>
          by % 2 ? checkpoints.delete('a') : checkpoints.save('a', grown('a', by + 1)),
        ),
      );
    }
    await stores[0]?.checkpoints.delete('a');
    for (const table of ['checkpoints', 'history', 'messages']) {
      expect(await ask(`SELECT count(*)::int AS rows FROM ${schema}.${table}`), table).toEqual([{ rows: 0 }]);
    }
  });

  it('A30 with serializable transactions by default every call still gets its answer', async () => {
    const server = await startPostgres({ settings: { default_transaction_isolation: 'serializable' } });
    onTestFinished(() => server.stop());
    const stores = Array.from({ length: 16 }, () => openStore({ connectionString: server.url, max: 4 }));
    const answers = await Promise.allSettled(
      stores.map(async ({ checkpoints }, by) => {
        const id = `own-${by}`;
        await checkpoints.acquireLease(id, 'worker', 60_000);
        for (let revision = 1; revision <= 3; revision++) {
          await checkpoints.save('shared', checkpoint({ sessionId: 'shared' }));
          expect(await checkpoints.saveIfLeased(id, grown(id, revision), 'worker')).toBe(true);
        }
      }),
    );
    for (const answer of answers) {
      if (answer.status === 'rejected')
        expect(answer.reason).toMatchObject({ code: 'LOUSHO_STORAGE_BUSY', retryable: true });
    }
    const stored = answers.filter((answer) => answer.status === 'fulfilled').length;
    expect(stored).toBe(16);
    expect(await stores[0]?.checkpoints.history('shared')).toHaveLength(48);
  });

  it('heartbeats and saves over the same ids never wait for each other in a circle', async () => {
    const { url, schema, ask } = await freshSchema();
    const [a, b] = [openStore(url, { schema }), openStore(url, { schema })];
    const ids = Array.from({ length: 40 }, (_, index) => `run-${index}`);
    await Promise.all(ids.map((id) => a.checkpoints.acquireLease(id, 'worker', 60_000)));
    const [before] = await ask(
      'SELECT deadlocks::int FROM pg_stat_database WHERE datname = current_database()',
    );
    const leases = ids.map((sessionId) => ({ sessionId, owner: 'worker' }));
    for (let revision = 1; revision <= 10; revision++) {
      const saves = [...ids]
        .reverse()
        .map((id) => a.checkpoints.saveIfLeased(id, grown(id, revision), 'worker'));
      const renewals = [a, b, a].map(({ checkpoints }) =>
        checkpoints.renewLeases([...leases].reverse(), 60_000),
      );
      expect(new Set((await Promise.all([...saves, ...renewals])).flat())).toEqual(new Set([true]));
    }
    expect(
      await ask('SELECT deadlocks::int FROM pg_stat_database WHERE datname = current_database()'),
    ).toEqual([before]);
  });
});
