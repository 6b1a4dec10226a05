import { fileURLToPath } from 'node:url';
import { freePort } from './free-port.js';
import { connectKv, type KvNamespace } from './kv-namespace.js';
import { type Server, serverOver } from './server.js';
import { startProcess } from './server-process.js';
import { memoryFolder, removeFolder } from './temporary-folder.js';

export interface KvServer extends Server {
  /** For `connectKv(url)` in another process. */
  readonly url: string;
  readonly namespace: KvNamespace;
}

/** Workers KV by Miniflare on workerd. It is consistent at once and does not count writes: it can't show what KV gets wrong. */
export async function startKv(): Promise<KvServer> {
  const dir = memoryFolder('kv');
  const port = await freePort();
  const script = fileURLToPath(new URL('kv-process.js', import.meta.url));
  const server = await serverOver(
    port,
    () =>
      startProcess({
        name: 'Workers KV (miniflare)',
        command: process.execPath,
        args: [script, `${port}`, dir],
        ready: /^ready$/m,
        remedy: 'run `npm ci` with install scripts allowed for workerd',
      }),
    () => removeFolder(dir),
  );
  const url = `http://127.0.0.1:${port}`;
  return { ...server, url, namespace: connectKv(url) };
}
