import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { sharedPostgres, type TcpProxy, tcpProxy } from '@lousho/test-backends';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { checkpoint, grown } from './support/checkpoint.js';
import { type Ask, freshSchema, openStore } from './support/open-store.js';

type Store = ReturnType<typeof openStore>;

let proxy: TcpProxy;
let store: Store;
let direct: Store;
let schema: string;
let ask: Ask;

beforeEach(async () => {
  const fresh = await freshSchema();
  ({ schema, ask } = fresh);
  const { hostname: host, port } = new URL((await sharedPostgres()).url);
  proxy = await tcpProxy({ host, port: Number(port) });
  onTestFinished(() => proxy.close());
  store = openStore(proxy.through(fresh.url), { schema, deadlineMs: 3_000 });
  direct = openStore(fresh.url, { schema });
  await store.ready();
});

/** The answers to the next statements that hold the words are lost; everything else passes. */
function loseAnswersTo(words: string, times = 1): void {
  let left = times;
  proxy.dropReplies((request) => {
    if (left === 0 || !request.includes(words)) return false;
    left -= 1;
    return true;
  });
}

describe('A34 an answer that is lost', () => {
  it('of a fenced save: the save is there once and acknowledged', async () => {
    await store.checkpoints.acquireLease('a', 'worker', 60_000);
    expect(await store.checkpoints.saveIfLeased('a', grown('a', 1), 'worker')).toBe(true);
    loseAnswersTo('superseded AS', 2);
    expect(await store.checkpoints.saveIfLeased('a', grown('a', 2), 'worker', { unchangedMessages: 1 })).toBe(
      true,
    );
    expect((await direct.checkpoints.history('a')).map((entry) => entry.checkpoint.revision)).toEqual([2, 1]);
    expect(await direct.checkpoints.load('a')).toEqual(grown('a', 2));
  });

  it('of a plain save: the save is found by its mark and acknowledged', async () => {
    loseAnswersTo('superseded AS');
    await store.checkpoints.save('a', checkpoint({ sessionId: 'a' }));
    expect(await direct.checkpoints.history('a')).toHaveLength(1);
  });

  it('of a plain save, which cannot be found out: the outcome is unknown', async () => {
    proxy.onChunk(({ direction, bytes }) => {
      if (direction === 'request' && bytes.includes('superseded AS')) return 'cut';
      return 'pass';
    });
    await expect(store.checkpoints.save('a', checkpoint({ sessionId: 'a' }))).rejects.toMatchObject({
      code: 'LOUSHO_STORE_OUTCOME_UNKNOWN',
      retryable: true,
    });
    proxy.heal();
    expect(await store.checkpoints.load('a')).toBeNull();
  });

  it('of a fenced save that never arrived: it is sent again', async () => {
    await store.checkpoints.acquireLease('a', 'worker', 60_000);
    let cuts = 2;
    proxy.onChunk(({ direction, bytes }) => {
      if (direction !== 'request' || !bytes.includes('superseded AS') || cuts === 0) return 'pass';
      cuts -= 1;
      return 'reset';
    });
    expect(await store.checkpoints.saveIfLeased('a', grown('a', 1), 'worker')).toBe(true);
    expect(await direct.checkpoints.history('a')).toHaveLength(1);
  });

  it('of a save whose lease is lost by the time it is sent again: found in the history, or unknown, never false', async () => {
    await store.checkpoints.acquireLease('a', 'worker', 60_000);
    loseAnswersTo('superseded AS');
    const saving = store.checkpoints.saveIfLeased('a', grown('a', 1), 'worker');
    await expect.poll(() => direct.checkpoints.load('a')).not.toBeNull();
    await direct.checkpoints.releaseLease('a', 'worker');
    expect(await saving).toBe(true);
    let isCut = false;
    await store.checkpoints.acquireLease('a', 'worker', 60_000);
    proxy.onChunk(({ direction, bytes }) => {
      if (isCut || direction !== 'request' || !bytes.includes('superseded AS')) return 'pass';
      isCut = true;
      void ask(`UPDATE ${schema}.checkpoints SET lease_owner = '"other"'`);
      return 'cut';
    });
    const lost = store.checkpoints
      .saveIfLeased('a', grown('a', 2), 'worker')
      .catch((error: { code: string }) => error.code);
    // Taken over before or after it was sent again.
    expect([true, 'LOUSHO_STORE_OUTCOME_UNKNOWN']).toContain(await lost);
  });

  it('of a decision or a commit: it knows itself when it is sent again', async () => {
    const approval = { id: 'q', toolCallId: 'c', toolName: 't', args: {}, createdAt: '2030-01-01T00:00:00Z' };
    await store.approvals.save(approval, {});
    loseAnswersTo('decision_id');
    expect(await store.approvals.decide('q', { id: 'q', approved: true })).toBe('decided');
    expect(await store.approvals.decide('q', { id: 'q', approved: false })).toBe('already-decided');
    loseAnswersTo('commit_id', 1);
    expect(await store.sessions.saveIf('chat', 0, [{ role: 'user', content: 'one' }])).toBe(true);
    loseAnswersTo('commit_id', 1);
    expect(await store.sessions.saveIf('chat', 1, [{ role: 'user', content: 'two' }])).toBe(true);
    expect(await direct.sessions.load('chat')).toMatchObject({ revision: 2, messages: [{ content: 'two' }] });
  });

  it('of taking, renewing and ending a lease: the answer is the one that holds', async () => {
    loseAnswersTo('lease_since');
    const lease = await store.checkpoints.acquireLease('a', 'worker', 60_000);
    expect(lease).toMatchObject({ epoch: expect.any(Number) });
    loseAnswersTo('renewed AS');
    expect(await store.checkpoints.renewLease('a', 'worker', 60_000)).toBe(true);
    expect(await direct.checkpoints.readLease('a')).toMatchObject({ owner: 'worker', ...Object(lease) });
    loseAnswersTo('lease_owner = NULL');
    await store.checkpoints.releaseLease('a', 'worker');
    expect(await direct.checkpoints.readLease('a')).toBeNull();
  });
});

describe('a connection that went silent', () => {
  it('is given up within the deadline: a write is unknown, a read failed, and both work again later', async () => {
    await store.checkpoints.acquireLease('a', 'worker', 60_000);
    proxy.halfOpen();
    const startedAt = performance.now();
    const [save, load] = await Promise.allSettled([
      store.checkpoints.saveIfLeased('a', grown('a', 1), 'worker'),
      store.checkpoints.load('a'),
    ]);
    expect(performance.now() - startedAt).toBeLessThan(7_000);
    expect(save).toMatchObject({
      reason: { code: expect.stringMatching(/OUTCOME_UNKNOWN|STORAGE_FAILED/), retryable: true },
    });
    expect(load).toMatchObject({ reason: { code: 'LOUSHO_STORAGE_FAILED', retryable: true } });
    proxy.heal();
    expect(await store.checkpoints.saveIfLeased('a', grown('a', 1), 'worker')).toBe(true);
    expect(await direct.checkpoints.history('a')).toHaveLength(1);
  });

  it('for a moment only is survived by the call itself', async () => {
    await store.checkpoints.acquireLease('a', 'worker', 60_000);
    proxy.halfOpen();
    const saving = store.checkpoints.saveIfLeased('a', grown('a', 1), 'worker');
    setTimeout(() => proxy.heal(), 300);
    expect(await saving).toBe(true);
    expect(await direct.checkpoints.history('a')).toHaveLength(1);
  });
});

describe('A33 connections that the server ends', () => {
  it('while idle do not end the process', async () => {
    const { url, schema: own } = await freshSchema();
    expect(await endOf('outlive-connection', [url, own])).toEqual({ code: 0, stdout: 'true\n', stderr: '' });
  });

  it.each(['own', 'given'])(
    'in the packet that opens them do not end the process (%s pool)',
    async (whose) => {
      const { url, schema: own } = await freshSchema();
      const ended = await endOf('outlive-greeting', [url, own, whose]);
      expect(ended).toEqual({ code: 0, stdout: '0 a\n', stderr: '' });
    },
  );

  it('do not end the process, and the next call works', async () => {
    const ids = ['a', 'b', 'c'];
    for (const id of ids) await store.checkpoints.acquireLease(id, 'worker', 60_000);
    for (let revision = 1; revision <= 4; revision++) {
      const saves = ids.map((id) => store.checkpoints.saveIfLeased(id, grown(id, revision), 'worker'));
      expect(await Promise.all(saves)).toEqual([true, true, true]);
      const mine = `query LIKE '%${schema}%' AND pid <> pg_backend_pid()`;
      await ask(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE ${mine}`);
    }
    for (const id of ids) expect(await store.checkpoints.history(id)).toHaveLength(4);
  });

  it('under way leave each call with its answer or a retryable error', async () => {
    const ending = (async () => {
      for (let round = 0; round < 20; round++) {
        const mine = `query LIKE '%${schema}%' AND pid <> pg_backend_pid()`;
        await ask(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE ${mine}`);
      }
    })();
    let stored = 0;
    for (let round = 0; round < 60; round++) {
      const sessionId = `run-${round}`;
      const error = await store.checkpoints.save(sessionId, checkpoint({ sessionId })).then(
        () => undefined,
        (reason: unknown) => reason,
      );
      if (error === undefined) stored += 1;
      else expect(error).toMatchObject({ code: expect.stringMatching(/^LOUSHO_STOR/), retryable: true });
    }
    await ending;
    expect((await direct.checkpoints.list()).length).toBeGreaterThanOrEqual(stored);
  });
});

/** Runs a fixture as a process of its own, and tells how that ended. */
function endOf(fixture: string, args: readonly string[]): Promise<object> {
  const script = fileURLToPath(new URL(`fixtures/${fixture}.mjs`, import.meta.url));
  return new Promise((resolve) => {
    execFile(process.execPath, [script, ...args], (error, stdout, stderr) => {
      resolve({ code: error?.code ?? 0, stdout, stderr });
    });
  });
}
