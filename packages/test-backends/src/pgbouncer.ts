import { chmodSync, chownSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from './free-port.js';
import type { PostgresServer } from './postgres.js';
import { type Server, serverOver } from './server.js';
import { startProcess } from './server-process.js';
import { removeFolder, temporaryFolder } from './temporary-folder.js';
import { unprivilegedUser } from './unprivileged-user.js';

export interface PgbouncerOptions {
  readonly poolMode?: 'transaction' | 'session' | 'statement';
  /** Connections to the server. */
  readonly poolSize?: number;
}

export interface Pgbouncer extends Server {
  /** Of the database `postgres` through the pooler. */
  readonly url: string;
}

/** A pooler before a server of `startPostgres()`; any database name is passed on. */
export async function startPgbouncer(
  postgres: Pick<PostgresServer, 'host' | 'port' | 'user' | 'password'>,
  { poolMode = 'transaction', poolSize = 2 }: PgbouncerOptions = {},
): Promise<Pgbouncer> {
  const user = unprivilegedUser();
  const dir = temporaryFolder('pgbouncer');
  const port = await freePort();
  const config = join(dir, 'pgbouncer.ini');
  const server = `host=${postgres.host} port=${postgres.port} user=${postgres.user} password=${postgres.password}`;
  writeFileSync(
    config,
    `[databases]
* = ${server}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = ${poolMode}
default_pool_size = ${poolSize}
max_client_conn = 500
ignore_startup_parameters = extra_float_digits
`,
  );
  chmodSync(dir, 0o700);
  if (user) for (const path of [dir, config]) chownSync(path, user.uid, user.gid);
  const started = await serverOver(
    port,
    () =>
      startProcess({
        name: 'pgbouncer',
        command: 'pgbouncer',
        args: [config],
        options: {
          cwd: dir,
          // Debian puts it where only root's path leads.
          env: { ...process.env, PATH: `${process.env.PATH}:/usr/sbin:/usr/local/sbin` },
          ...user,
        },
        ready: /process up/,
        remedy: 'install pgbouncer (`apt-get install pgbouncer`)',
        stopSignal: 'SIGINT',
      }),
    () => removeFolder(dir),
  );
  return { ...started, url: `postgres://${postgres.user}:${postgres.password}@127.0.0.1:${port}/postgres` };
}
