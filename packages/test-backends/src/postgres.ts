import { execFile } from 'node:child_process';
import { chmodSync, chownSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from './free-port.js';
import { postgresBinaries } from './postgres-binaries.js';
import { type Server, serverOver } from './server.js';
import { startProcess } from './server-process.js';
import { removeSharedMemory } from './shared-memory.js';
import { removeFolder, temporaryFolder } from './temporary-folder.js';
import { unprivilegedUser } from './unprivileged-user.js';

export interface PostgresServer extends Server {
  /** Of the database `postgres`, as the superuser. */
  readonly url: string;
  readonly user: string;
  readonly password: string;
}

export interface PostgresOptions {
  /** Default true. Without it commits survive a killed server, but no loss of power. */
  readonly fsync?: boolean;
  /** Further settings, such as `{ default_transaction_isolation: 'serializable' }`. */
  readonly settings?: Readonly<Record<string, string>>;
}

const USER = 'postgres';
const PASSWORD = 'lousho-test';

export async function startPostgres({
  fsync = true,
  settings = {},
}: PostgresOptions = {}): Promise<PostgresServer> {
  const user = unprivilegedUser();
  const { initdb, postgres } = await postgresBinaries(user?.uid);
  const dir = temporaryFolder('postgres');
  const data = join(dir, 'data');
  const passwordFile = join(dir, 'password');
  writeFileSync(passwordFile, PASSWORD);
  chmodSync(dir, 0o700);
  if (user) for (const path of [dir, passwordFile]) chownSync(path, user.uid, user.gid);
  const options = { cwd: dir, env: { ...process.env, LC_ALL: 'C', TZ: 'UTC' }, ...user };
  const created = promisify(execFile)(
    initdb,
    [
      ...['--pgdata', data, '--username', USER, '--pwfile', passwordFile, '--auth', 'scram-sha-256'],
      ...[
        '--encoding',
        'UTF8',
        '--locale',
        'C',
        '--no-sync',
        '--no-instructions',
        '--set',
        'scram_iterations=1',
      ],
    ],
    options,
  );
  await created.catch((error: Error) => {
    removeFolder(dir);
    throw new Error(`Postgres could not be set up (${error.message.trim().replaceAll('\n', ' | ')})`);
  });
  const port = await freePort();
  const all = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: '200',
    shared_buffers: '64MB',
    dynamic_shared_memory_type: 'mmap',
    ...(fsync ? {} : { fsync: 'off', full_page_writes: 'off' }),
    ...settings,
  };
  const server = await serverOver(
    port,
    () =>
      startProcess({
        name: 'Postgres',
        command: postgres,
        args: [
          '-D',
          data,
          '-p',
          `${port}`,
          ...Object.entries(all).flatMap(([key, value]) => ['-c', `${key}=${value}`]),
        ],
        options,
        ready: /database system is ready to accept connections/,
        remedy: 'set POSTGRES_URL to a server that tests may use',
        // Fast: open connections are ended, as by a planned restart.
        stopSignal: 'SIGINT',
      }),
    () => {
      removeSharedMemory(dir);
      removeFolder(dir);
    },
  );
  return {
    ...server,
    url: `postgres://${USER}:${PASSWORD}@127.0.0.1:${port}/postgres`,
    user: USER,
    password: PASSWORD,
  };
}
