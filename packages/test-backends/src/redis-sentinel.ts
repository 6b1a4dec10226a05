import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from './free-port.js';
import { type Server, serverOver } from './server.js';
import { startProcess } from './server-process.js';
import { removeFolder, temporaryFolder } from './temporary-folder.js';

export interface SentinelOptions {
  /** How long a primary is silent before another one takes its place, in milliseconds. Default 1,000. */
  readonly downAfterMs?: number;
}

export interface RedisSentinel extends Server {
  /** Of the primary, for those who ask where it is. */
  readonly name: string;
}

/**
 * A Sentinel that decides alone, over a primary of `startRedis()` and the replicas that it has when it is first asked. It is the
 * server's own program, started as another one.
 */
export async function startSentinel(
  primary: Pick<Server, 'host' | 'port'>,
  { downAfterMs = 1_000 }: SentinelOptions = {},
): Promise<RedisSentinel> {
  const dir = temporaryFolder('sentinel');
  const port = await freePort();
  const config = join(dir, 'sentinel.conf');
  const name = 'runs';
  writeFileSync(
    config,
    `port ${port}
bind 127.0.0.1
dir ${dir}
sentinel monitor ${name} ${primary.host} ${primary.port} 1
sentinel down-after-milliseconds ${name} ${downAfterMs}
`,
  );
  const server = await serverOver(
    port,
    () =>
      startProcess({
        name: 'Redis Sentinel',
        command: 'redis-server',
        args: [config, '--sentinel'],
        options: { cwd: dir },
        ready: /\+monitor/,
        remedy: 'install redis-server (`apt-get install redis-server`)',
      }),
    () => removeFolder(dir),
  );
  return { ...server, name };
}
