import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { PostgresStore } from '@lousho/store-postgres';
import { freePort, startPostgres } from '@lousho/test-backends';
import pg from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { checkpoint } from './support/checkpoint.js';
import { freshSchema, openStore } from './support/open-store.js';

describe('opening', () => {
  it('of several processes that start at once one makes the tables and all of them work', async () => {
    const { url, schema, ask } = await freshSchema();
    const script = fileURLToPath(new URL('fixtures/save-one.mjs', import.meta.url));
    const children = Array.from({ length: 4 }, (_, index) =>
      spawn(process.execPath, [script, url, schema, `run-${index}`], { stdio: 'inherit' }),
    );
    const codes = await Promise.all(children.map(async (child) => (await once(child, 'exit'))[0] as number));
    expect(codes).toEqual([0, 0, 0, 0]);
    expect(await ask(`SELECT version FROM ${schema}.migrations`)).toEqual([{ version: 1 }]);
    expect(await ask(`SELECT count(*)::int AS saved FROM ${schema}.checkpoints`)).toEqual([{ saved: 4 }]);
  });

  it('a schema of a newer version is refused and left as it is', async () => {
    const { url, schema, ask } = await freshSchema();
    await openStore(url, { schema }).ready();
    await ask(`INSERT INTO ${schema}.migrations VALUES (99, now())`);
    const refused = openStore(url, { schema }).checkpoints.save('a', checkpoint({ sessionId: 'a' }));
    await expect(refused).rejects.toMatchObject({ code: 'LOUSHO_STORAGE_INCOMPATIBLE', retryable: false });
    expect(await ask(`SELECT count(*)::int AS saved FROM ${schema}.checkpoints`)).toEqual([{ saved: 0 }]);
  });

  it('a schema with another program’s tables is refused and left as it is', async () => {
    const { url, schema, ask } = await freshSchema();
    await ask(`CREATE SCHEMA ${schema}`);
    await ask(`CREATE TABLE ${schema}.sessions (mine text)`);
    await expect(openStore(url, { schema }).ready()).rejects.toMatchObject({
      code: 'LOUSHO_STORAGE_INCOMPATIBLE',
    });
    const tables = await ask('SELECT tablename FROM pg_tables WHERE schemaname = $1', [schema]);
    expect(tables).toEqual([{ tablename: 'sessions' }]);
  });

  it('a user who may only use the schema that was made for it can do all of it', async () => {
    const { url, schema, ask } = await freshSchema();
    await ask(`CREATE ROLE ${schema} LOGIN PASSWORD 'secret'`);
    await ask(`CREATE SCHEMA ${schema} AUTHORIZATION ${schema}`);
    onTestFinished(async () => {
      await ask(`DROP OWNED BY ${schema} CASCADE`);
      await ask(`DROP ROLE ${schema}`);
    });
    const { hostname: host, port } = new URL(url);
    const settings = { host, port: Number(port), user: schema, password: 'secret', database: 'postgres' };
    const store = openStore(settings, { schema });
    await store.checkpoints.acquireLease('a', 'worker-a', 10_000);
    expect(
      await store.checkpoints.saveIfLeased('a', checkpoint({ sessionId: 'a', revision: 1 }), 'worker-a'),
    ).toBe(true);
  });

  it('what can’t be opened is refused with a code, and never tried again where that is no use', async () => {
    const { url, schema, ask } = await freshSchema();
    const wrong = (change: (url: URL) => void) => {
      const changed = new URL(url);
      change(changed);
      return openStore(changed.href, { schema }).checkpoints.load('a');
    };
    const refused = { code: 'LOUSHO_STORAGE_FAILED', retryable: false };
    const password = wrong((changed) => {
      changed.password = 'wrong';
    });
    await expect(password).rejects.toMatchObject({ ...refused, hint: expect.stringContaining('password') });
    const missing = wrong((changed) => {
      changed.pathname = '/missing';
    });
    await expect(missing).rejects.toMatchObject({ ...refused, hint: expect.stringContaining('database') });
    await openStore(url, { schema }).ready();
    const readOnly = openStore(
      { connectionString: url, options: '-c default_transaction_read_only=on' },
      { schema },
    );
    await expect(readOnly.checkpoints.save('a', checkpoint({ sessionId: 'a' }))).rejects.toMatchObject({
      code: 'LOUSHO_STORAGE_READ_ONLY',
    });
    expect(await readOnly.checkpoints.load('a')).toBeNull();
    expect(await ask(`SELECT count(*)::int AS saved FROM ${schema}.checkpoints`)).toEqual([{ saved: 0 }]);
  });

  it('a server that is down is an error within the deadline, and is found once it is up', async () => {
    const url = `postgres://postgres@127.0.0.1:${await freePort()}/postgres`;
    const store = openStore(url, { deadlineMs: 400 });
    const startedAt = performance.now();
    await expect(store.checkpoints.load('a')).rejects.toMatchObject({
      code: 'LOUSHO_STORAGE_FAILED',
      retryable: true,
    });
    await expect(store.checkpoints.save('refund-42', checkpoint())).rejects.toMatchObject({
      retryable: true,
    });
    expect(performance.now() - startedAt).toBeLessThan(2_000);
    const server = await startPostgres();
    onTestFinished(() => server.stop());
    await server.kill();
    const patient = openStore(server.url);
    const saving = patient.checkpoints.save('refund-42', checkpoint());
    await server.restart();
    await saving;
    expect(await patient.checkpoints.load('refund-42')).toEqual(checkpoint());
  });

  it('declares what the server keeps, once it knows', async () => {
    const { url, schema } = await freshSchema();
    const store = openStore(url, { schema });
    expect(store.checkpoints.capabilities.survives).toBe('process-crash');
    await store.ready();
    expect(store.checkpoints.capabilities).toEqual({
      fencing: 'atomic',
      reads: 'latest',
      reach: 'network',
      survives: 'power-loss',
      clock: 'store',
      graceMs: 0,
      deathProof: 'none',
    });
    const fast = openStore({ connectionString: url, options: '-c synchronous_commit=off' }, { schema });
    await fast.ready();
    expect(fast.checkpoints.capabilities.survives).toBe('process-crash');
  });

  it.each([
    [{ schema: 'Runs' }, 'schema'],
    [{ schema: 'a; DROP TABLE x' }, 'schema'],
    [{ schema: 'pg_runs' }, 'schema'],
    [{ lanes: 0 }, 'lanes'],
    [{ deadlineMs: 1.5 }, 'deadlineMs'],
    [{ historyLimit: -1 }, 'historyLimit'],
  ])('refuses the options %j', (options, field) => {
    expect(() => new PostgresStore('postgres://localhost', options)).toThrow(
      expect.objectContaining({ code: 'LOUSHO_CONFIG_INVALID', message: expect.stringContaining(field) }),
    );
  });

  it('refuses settings that are none', () => {
    const none = undefined as unknown as string;
    expect(() => new PostgresStore(none)).toThrow(expect.objectContaining({ code: 'LOUSHO_CONFIG_INVALID' }));
  });
});

describe('close()', () => {
  it('leaves a pool that it was given to its owner, and waits for what was asked before', async () => {
    const { url, schema } = await freshSchema();
    const pool = new pg.Pool({ connectionString: url });
    onTestFinished(() => pool.end());
    const store = new PostgresStore(pool, { schema });
    const saving = store.checkpoints.save('refund-42', checkpoint());
    await store.close();
    await saving;
    expect(pool.listenerCount('error')).toBe(0);
    expect((await pool.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
  });

  it('ends the connections that the store opened itself', async () => {
    const { url, schema, ask } = await freshSchema();
    const store = new PostgresStore({ connectionString: url, application_name: schema }, { schema });
    await store.ready();
    const count = `SELECT count(*)::int AS open FROM pg_stat_activity WHERE application_name = '${schema}'`;
    expect(await ask(count)).toEqual([{ open: 1 }]);
    await store.close();
    await expect.poll(() => ask(count)).toEqual([{ open: 0 }]);
  });
});
