/** Where the programs of the READMEs run: what they name, and what stands for it here. */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ROOT } from '../workspace.js';

const BACKENDS = pathToFileURL(join(ROOT, 'packages/test-backends/dist/index.js')).href;

/** @returns {Promise<Record<string, { places?: Record<string, string>, after?: string }>>} by package folder */
export async function readmePlaces() {
  const { sharedPostgres, sharedRedis, sharedDynamo, sharedKv } = await import(BACKENDS);
  const { endpoint, region, credentials } = await sharedDynamo();
  return {
    'store-memory': {},
    'store-file': {},
    'store-sqlite': {},
    'store-postgres': { places: { 'postgres://app@db.internal/app': (await sharedPostgres()).url } },
    'store-redis': {
      places: { 'redis://runs.internal:6379': (await sharedRedis()).url },
      // It runs until it is told to stop.
      after: "process.kill(process.pid, 'SIGTERM');",
    },
    'store-dynamodb': {
      places: { "{ region: 'eu-central-1' }": JSON.stringify({ endpoint, region, credentials }) },
    },
    'store-kv': {
      places: { 'export default {': 'const worker = {' },
      // By way of a variable: what stands in for the service has no types here.
      after: `const backends: string = '${BACKENDS}';
const { connectKv } = await import(backends);
const request = new Request('http://localhost/', { method: 'POST', body: 'Refund order 42' });
const answer = await worker.fetch(request, { RUNS: connectKv('${(await sharedKv()).url}') });
if ((await answer.text()) !== 'Done.') throw new Error('another answer');
process.exit();`,
    },
  };
}
