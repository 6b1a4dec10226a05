// Workers KV on workerd, in a process of its own so that it can be killed.
import { Miniflare } from 'miniflare';
import { KV_WORKER } from './kv-worker.js';

const [port, dir] = process.argv.slice(2);
const miniflare = new Miniflare({
  host: '127.0.0.1',
  port: Number(port),
  modules: true,
  script: KV_WORKER,
  kvNamespaces: ['KV'],
  kvPersist: dir as string,
  cf: false,
  compatibilityDate: '2025-09-01',
});
await miniflare.ready;
console.log('ready');
