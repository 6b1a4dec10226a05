import { freePort } from './free-port.js';
import { joinCluster } from './redis-cluster.js';
import { type Server, serverOver } from './server.js';
import { startProcess } from './server-process.js';
import { removeFolder, temporaryFolder } from './temporary-folder.js';

export interface RedisOptions {
  /** Default true: an append-only file, so that data outlive a kill. */
  readonly appendonly?: boolean;
  /** Default `everysec`. */
  readonly appendfsync?: 'always' | 'everysec' | 'no';
  /** Such as `64mb`; no bound by default. */
  readonly maxmemory?: string;
  readonly maxmemoryPolicy?: string;
  /** Three primaries that share the slots. Default one standalone server. */
  readonly cluster?: boolean;
  /** Further settings, such as `{ 'requirepass': 'secret' }`. */
  readonly settings?: Readonly<Record<string, string>>;
}

export interface RedisServer extends Server {
  readonly url: string;
  /** The servers one by one; a single one unless `cluster`. */
  readonly nodes: readonly Server[];
}

const REMEDY =
  'install redis-server (`apt-get install redis-server`), or set REDIS_URL to a server that tests may use';

/** With `cluster`, `kill()`, `restart()` and `stop()` act on all nodes. */
export async function startRedis(options: RedisOptions = {}): Promise<RedisServer> {
  const nodes = await Promise.all(Array.from({ length: options.cluster ? 3 : 1 }, () => startNode(options)));
  const [first] = nodes as [Server];
  if (options.cluster) await joinCluster(nodes);
  const onAll = (act: (node: Server) => Promise<void>) => async () => {
    await Promise.all(nodes.map(act));
  };
  return {
    host: first.host,
    port: first.port,
    url: `redis://127.0.0.1:${first.port}`,
    nodes,
    stop: onAll((node) => node.stop()),
    kill: onAll((node) => node.kill()),
    restart: onAll((node) => node.restart()),
    isRunning: () => nodes.every((node) => node.isRunning()),
    output: () => nodes.map((node) => node.output()).join('\n'),
  };
}

async function startNode(options: RedisOptions): Promise<Server> {
  const dir = temporaryFolder('redis');
  const port = await freePort();
  const settings: Record<string, string> = {
    port: `${port}`,
    bind: '127.0.0.1',
    dir,
    save: '',
    daemonize: 'no',
    appendonly: (options.appendonly ?? true) ? 'yes' : 'no',
    appendfsync: options.appendfsync ?? 'everysec',
    ...(options.maxmemory && { maxmemory: options.maxmemory }),
    ...(options.maxmemoryPolicy && { 'maxmemory-policy': options.maxmemoryPolicy }),
    ...(options.cluster && {
      'cluster-enabled': 'yes',
      'cluster-port': `${await freePort()}`,
      'cluster-node-timeout': '2000',
      'cluster-require-full-coverage': 'no',
    }),
    ...options.settings,
  };
  return serverOver(
    port,
    () =>
      startProcess({
        name: 'Redis',
        command: 'redis-server',
        args: Object.entries(settings).flatMap(([key, value]) => [`--${key}`, value]),
        options: { cwd: dir },
        ready: /Ready to accept connections/,
        remedy: REMEDY,
      }),
    () => removeFolder(dir),
  );
}
