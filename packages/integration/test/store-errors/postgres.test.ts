import { checkpoint, ID } from '@lousho/conformance';
import { PostgresStore, type PostgresStoreOptions } from '@lousho/store-postgres';
import { freePort, sharedPostgres } from '@lousho/test-backends';
import pg from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import { type Provoked, type StoreFault, testFaults, thrownBy } from './support/store-fault.js';
import { faultsOnPage } from './support/when-it-does-not-start.js';

const SECRET = 'hunter2-and-more';

const FAULTS: readonly StoreFault[] = [
  {
    fault: 'the server is down',
    code: 'LOUSHO_STORAGE_FAILED',
    retryable: true,
    provoke: async () => {
      const port = await freePort();
      const url = `postgres://app:${SECRET}@localhost:${port}/jobs`;
      return { ...(await saving(url, { deadlineMs: 300 })), names: ['app@localhost', port, 'jobs'] };
    },
  },
  {
    fault: 'the server is down',
    code: 'LOUSHO_STORAGE_FAILED',
    retryable: true,
    provoke: async () => {
      const pool = new pg.Pool({
        host: 'db.invalid',
        port: 5432,
        user: 'app',
        password: SECRET,
        database: 'jobs',
      });
      onTestFinished(() => pool.end());
      return { ...(await saving(pool, { deadlineMs: 300 })), names: ['app@db.invalid:5432/jobs'] };
    },
  },
  {
    fault: 'the user or the password is wrong',
    code: 'LOUSHO_STORAGE_FAILED',
    retryable: false,
    provoke: async () => {
      const { url, host } = await server();
      return { ...(await saving(withLogin(url, 'postgres', SECRET))), names: [`postgres@${host}/postgres`] };
    },
  },
  {
    fault: 'the user or the password is wrong',
    code: 'LOUSHO_STORAGE_FAILED',
    retryable: false,
    provoke: async () => {
      const { url, host } = await server();
      return { ...(await saving(withLogin(url, 'nobody', SECRET))), names: [`nobody@${host}/postgres`] };
    },
  },
  {
    fault: 'the user or the password is wrong',
    code: 'LOUSHO_STORAGE_FAILED',
    retryable: false,
    provoke: async () => {
      const { url, host } = await server();
      return { ...(await saving(withLogin(url, 'postgres', ''))), names: [`postgres@${host}/postgres`] };
    },
  },
  {
    fault: 'the connection string is none',
    code: 'LOUSHO_CONFIG_INVALID',
    retryable: false,
    provoke: async () => {
      const thrown = await thrownBy(() => new PostgresStore(`host=db user=app password=${SECRET}`));
      return { thrown, names: ['pool', 'postgres://'], secrets: [SECRET] };
    },
  },
  {
    fault: 'the connection string is none',
    code: 'LOUSHO_CONFIG_INVALID',
    retryable: false,
    provoke: async () => {
      const thrown = await thrownBy(() => new PostgresStore(`postgres://app:${SECRET}@db:port/jobs`));
      return { thrown, names: ['pool', 'postgres://'], secrets: [SECRET] };
    },
  },
  {
    fault: 'the server takes no TLS',
    code: 'LOUSHO_STORAGE_FAILED',
    retryable: false,
    provoke: async () => {
      const { url, host } = await server();
      const thrown = await saving({ connectionString: url, ssl: true });
      return { ...thrown, names: [`postgres@${host}/postgres`, 'SSL'] };
    },
  },
  {
    fault: 'the database does not exist',
    code: 'LOUSHO_STORAGE_FAILED',
    retryable: false,
    provoke: async () => {
      const { url, host } = await server();
      const other = new URL(url);
      other.pathname = '/nowhere';
      return { ...(await saving(other.href)), names: [`postgres@${host}/nowhere`] };
    },
  },
  {
    fault: 'the role may not make or use the tables',
    code: 'LOUSHO_STORAGE_READ_ONLY',
    retryable: false,
    provoke: async () => {
      const { role, url, host } = await roleWithoutRights();
      return { ...(await saving(url)), names: [`${role}@${host}/postgres`, 'lousho'] };
    },
  },
  {
    fault: 'the role may not make or use the tables',
    code: 'LOUSHO_STORAGE_READ_ONLY',
    retryable: false,
    provoke: async () => {
      const { role, url, host, ask, owner } = await roleWithoutRights();
      const schema = await madeBy(owner);
      await ask(`GRANT USAGE ON SCHEMA ${schema} TO ${role}`);
      await ask(`GRANT SELECT ON ALL TABLES IN SCHEMA ${schema} TO ${role}`);
      return { ...(await saving(url, { schema })), names: [`${role}@${host}/postgres`, schema] };
    },
  },
  {
    fault: "the schema is another program's, or newer",
    code: 'LOUSHO_STORAGE_INCOMPATIBLE',
    retryable: false,
    provoke: async () => {
      const { url, host, ask } = await server();
      const schema = await madeBy(url);
      await ask(`INSERT INTO ${schema}.migrations VALUES (99, now())`);
      return { ...(await saving(url, { schema })), names: [schema, 99, host] };
    },
  },
  {
    fault: "the schema is another program's, or newer",
    code: 'LOUSHO_STORAGE_INCOMPATIBLE',
    retryable: false,
    provoke: async () => {
      const { url, host, ask, freeName } = await server();
      const schema = freeName();
      await ask(`CREATE SCHEMA ${schema}`);
      await ask(`CREATE TABLE ${schema}.sessions (cookie text)`);
      return { ...(await saving(url, { schema })), names: [schema, host] };
    },
  },
  {
    fault: 'tables are missing',
    code: 'LOUSHO_STORAGE_FAILED',
    retryable: false,
    provoke: async () => {
      const { url, host, ask } = await server();
      const schema = await madeBy(url);
      await ask(`DROP TABLE ${schema}.messages`);
      return { ...(await saving(url, { schema })), names: [schema, host] };
    },
  },
];

testFaults('Postgres', FAULTS);

it('each fault of Postgres that the page lists was seen', () => {
  expect(faultsOnPage('Postgres')).toEqual([...new Set(FAULTS.map(({ fault }) => fault))]);
});

async function server() {
  const { url, freeName } = await sharedPostgres();
  return { url, freeName, host: new URL(url).host, ask: (text: string) => asking(url, text) };
}

async function roleWithoutRights() {
  const { url, host, ask, freeName } = await server();
  const role = freeName();
  await ask(`CREATE ROLE ${role} LOGIN PASSWORD '${SECRET}'`);
  return { role, host, ask, owner: url, url: withLogin(url, role, SECRET) };
}

/** The name of a schema that a store has made. */
async function madeBy(url: string): Promise<string> {
  const schema = (await sharedPostgres()).freeName();
  const store = new PostgresStore(url, { schema });
  await store.ready();
  await store.close();
  return schema;
}

async function saving(
  pool: ConstructorParameters<typeof PostgresStore>[0],
  options: PostgresStoreOptions = {},
): Promise<Provoked> {
  const store = new PostgresStore(pool, options);
  const thrown = await thrownBy(() => store.checkpoints.save(ID, checkpoint()));
  await store.close();
  const { password } = new URL((await sharedPostgres()).url);
  return { thrown, names: [], secrets: [SECRET, password] };
}

async function asking(url: string, text: string): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  await client.query(text);
  await client.end();
}

function withLogin(url: string, user: string, password: string): string {
  const other = new URL(url);
  Object.assign(other, { username: user, password });
  return other.href;
}
