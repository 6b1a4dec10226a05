import { describe, expect, it } from 'vitest';
import { checkpoint, grown, user } from './support/checkpoint.js';
import { countingPool } from './support/counting-pool.js';
import { freshSchema, openStore } from './support/open-store.js';

describe('what a save writes', () => {
  it('is what is new: messages are rows that are written once and shared by the history', async () => {
    const { url, schema, ask } = await freshSchema();
    const { checkpoints } = openStore(url, { schema, historyLimit: 10 });
    for (let revision = 1; revision <= 30; revision++) await checkpoints.save('a', grown('a', revision));
    const [rows] = await ask(
      `SELECT (SELECT count(*)::int FROM ${schema}.messages) AS messages,
              (SELECT count(*)::int FROM ${schema}.history) AS history,
              (SELECT count(DISTINCT xmin::text)::int FROM ${schema}.messages) AS writers`,
    );
    expect(rows).toEqual({ messages: 30, history: 10, writers: 30 });
    const history = await checkpoints.history('a');
    expect(history.map((entry) => entry.checkpoint)).toEqual(
      Array.from({ length: 10 }, (_, at) => grown('a', 30 - at)),
    );
  });

  it('goes to the server without the messages that the caller vouches for', async () => {
    const { url, schema } = await freshSchema();
    const pool = countingPool(url);
    const { checkpoints } = openStore(pool, { schema });
    await checkpoints.acquireLease('a', 'worker', 60_000);
    const long = Array.from({ length: 200 }, (_, index) => user(`${index} ${'x'.repeat(1_000)}`));
    await checkpoints.saveIfLeased(
      'a',
      checkpoint({ sessionId: 'a', revision: 1, messages: long }),
      'worker',
    );
    pool.sent.length = 0;
    const next = checkpoint({ sessionId: 'a', revision: 2, messages: [...long, user('new')] });
    expect(await checkpoints.saveIfLeased('a', next, 'worker', { unchangedMessages: 200 })).toBe(true);
    expect(pool.sent).toHaveLength(1);
    expect(pool.sent[0]?.bytes).toBeLessThan(6_000);
    expect(await checkpoints.load('a')).toEqual(next);
    // Another revision is stored than the one it vouches for: it takes a second statement, with all messages.
    pool.sent.length = 0;
    const other = checkpoint({ sessionId: 'a', revision: 9, messages: [user('0'), ...long.slice(1)] });
    expect(await checkpoints.saveIfLeased('a', other, 'worker', { unchangedMessages: 200 })).toBe(true);
    expect(pool.sent).toHaveLength(2);
    expect(await checkpoints.load('a')).toEqual(other);
  });

  it('removes what no kept save sees, however transcripts shrink, change and grow', async () => {
    const { url, schema, ask } = await freshSchema();
    const { checkpoints } = openStore(url, { schema, historyLimit: 3 });
    const kept: ReturnType<typeof checkpoint>[] = [];
    for (let revision = 1; revision <= 25; revision++) {
      const length = (revision * 7) % 5;
      const messages = Array.from({ length }, (_, at) =>
        user(`${at} ${at === revision % 3 ? revision : 'same'}`),
      );
      kept.unshift(checkpoint({ sessionId: 'a', revision, messages }));
      await checkpoints.save('a', kept[0] as (typeof kept)[number]);
      expect((await checkpoints.history('a')).map((entry) => entry.checkpoint)).toEqual(kept.slice(0, 3));
      expect(await checkpoints.load('a')).toEqual(kept[0]);
    }
    const [rows] = await ask(`SELECT count(*)::int AS messages FROM ${schema}.messages`);
    expect(Number(rows?.messages)).toBeLessThanOrEqual(3 * 5 + 5);
  });

  it('keeps one head without a history', async () => {
    const { url, schema, ask } = await freshSchema();
    const { checkpoints } = openStore(url, { schema, historyLimit: 0 });
    for (let revision = 1; revision <= 5; revision++) await checkpoints.save('a', grown('a', revision));
    expect(await checkpoints.history('a')).toEqual([]);
    expect(await checkpoints.load('a')).toEqual(grown('a', 5));
    expect(await ask(`SELECT count(*)::int AS heads FROM ${schema}.history`)).toEqual([{ heads: 1 }]);
  });
});

describe('text', () => {
  it('A31 A35 is stored as it was saved: NUL, lone surrogates, key order, -0 and digits', async () => {
    const { url, schema, ask } = await freshSchema();
    const store = openStore(url, { schema });
    const metadata = {
      b: 1,
      aa: [],
      a: -0,
      text: 'nul \u0000 \ud800 \udc00\ud800 "quoted" \\ {curly} é 🦆',
      '': '9007199254740993',
    };
    const saved = checkpoint({ sessionId: 'a', metadata, messages: [user('\u0000\udfff')] });
    await store.checkpoints.save('a', saved);
    const loaded = await store.checkpoints.load('a');
    expect(loaded).toEqual(saved);
    expect(Object.keys(Object(loaded?.metadata))).toEqual(['b', 'aa', 'a', 'text', '']);
    expect(Object.is(Object(loaded?.metadata).a, -0)).toBe(true);
    const [row] = await ask(`SELECT body, octet_length(body)::int AS bytes FROM ${schema}.messages`);
    expect(row).toEqual({ body: '{"role":"user","content":"\\u0000\\udfff"}', bytes: 40 });
    const types = await ask(
      `SELECT DISTINCT data_type FROM information_schema.columns WHERE table_schema = $1 AND column_name IN ('head', 'body')`,
      [schema],
    );
    expect(types).toEqual([{ data_type: 'text' }]);
  });

  it('of an owner is told apart from every other, NUL and lone surrogates included', async () => {
    const { url, schema } = await freshSchema();
    const { checkpoints } = openStore(url, { schema });
    const owners = ['\ud800', '\udfff', '\u0000', 'a"b\\'];
    for (const [index, owner] of owners.entries()) {
      await checkpoints.acquireLease(`run-${index}`, owner, 60_000);
      expect(await checkpoints.readLease(`run-${index}`)).toMatchObject({ owner });
      for (const other of owners) {
        expect(await checkpoints.renewLease(`run-${index}`, other, 60_000)).toBe(other === owner);
      }
    }
  });
});

describe('saves at the same time', () => {
  it('go together in few statements, each with its own answer', async () => {
    const { url, schema } = await freshSchema();
    const pool = countingPool(url);
    const { checkpoints } = openStore(pool, { schema, lanes: 2 });
    const ids = Array.from({ length: 60 }, (_, index) => `run-${index}`);
    await Promise.all(
      ids.filter((_, index) => index % 3 > 0).map((id) => checkpoints.acquireLease(id, 'worker', 60_000)),
    );
    await checkpoints.save('run-1', grown('run-1', 7));
    pool.sent.length = 0;
    const answers = await Promise.all(
      ids.map((id) => checkpoints.saveIfLeased(id, grown(id, 3), 'worker', { unchangedMessages: 2 })),
    );
    expect(answers).toEqual(ids.map((_, index) => index % 3 > 0));
    expect(pool.sent.length).toBeLessThanOrEqual(4);
    for (const [index, id] of ids.entries()) {
      expect(await checkpoints.load(id)).toEqual(index % 3 > 0 ? grown(id, 3) : null);
    }
  });

  it('of one id are stored in the order in which they were made', async () => {
    const { url, schema } = await freshSchema();
    const { checkpoints } = openStore(url, { schema });
    await checkpoints.acquireLease('a', 'worker', 60_000);
    const revisions = Array.from({ length: 20 }, (_, index) => index + 1);
    await Promise.all(
      revisions.map((revision) => checkpoints.saveIfLeased('a', grown('a', revision), 'worker')),
    );
    const history = await checkpoints.history('a');
    expect(history.map((entry) => entry.checkpoint.revision)).toEqual([...revisions].reverse());
  });

  it('one that the server refuses takes none of the others with it', async () => {
    const { url, schema, ask } = await freshSchema();
    const { checkpoints } = openStore(url, { schema, lanes: 1 });
    await checkpoints.save('z', grown('z', 1));
    await ask(`ALTER TABLE ${schema}.messages ADD CONSTRAINT refused CHECK (body NOT LIKE '%poison%')`);
    const saves = ['a', 'b', 'c', 'd'].map((sessionId) =>
      checkpoints.save(
        sessionId,
        checkpoint({ sessionId, messages: [user(sessionId === 'c' ? 'poison' : 'fine')] }),
      ),
    );
    const outcomes = (await Promise.allSettled(saves)).map(({ status }) => status);
    expect(outcomes).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled']);
    await expect(saves[2]).rejects.toMatchObject({ code: 'LOUSHO_STORAGE_FAILED', retryable: false });
    expect((await checkpoints.list()).map(({ sessionId }) => sessionId)).toEqual(['a', 'b', 'd', 'z']);
  });

  it('one that vouched for what cannot be stored takes none of the others with it', async () => {
    const { url, schema } = await freshSchema();
    const { checkpoints } = openStore(url, { schema, lanes: 1 });
    const bad = { role: 'user', content: 'x', at: new Date(0) } as unknown as ReturnType<typeof user>;
    const saves = ['a', 'b', 'c'].map((sessionId) =>
      checkpoints.save(
        sessionId,
        checkpoint({
          sessionId,
          revision: 2,
          messages: [sessionId === 'b' ? bad : user('fine'), user('new')],
        }),
        { unchangedMessages: 1 },
      ),
    );
    const outcomes = await Promise.allSettled(saves);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(outcomes[1]).toMatchObject({ reason: { code: 'LOUSHO_VALUE_INVALID' } });
    expect(await checkpoints.load('b')).toBeNull();
    await checkpoints.save('b', checkpoint({ sessionId: 'b' }));
  });

  it('the heartbeat of all runs is one statement', async () => {
    const { url, schema } = await freshSchema();
    const pool = countingPool(url);
    const { checkpoints } = openStore(pool, { schema });
    const leases = Array.from({ length: 100 }, (_, index) => ({
      sessionId: `run-${index}`,
      owner: `worker-${index % 2}`,
    }));
    await Promise.all(leases.map(({ sessionId }) => checkpoints.acquireLease(sessionId, 'worker-0', 60_000)));
    pool.sent.length = 0;
    expect(await checkpoints.renewLeases(leases, 60_000)).toEqual(
      leases.map(({ owner }) => owner === 'worker-0'),
    );
    expect(pool.sent).toHaveLength(1);
  });
});
