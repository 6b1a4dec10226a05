import { fileURLToPath } from 'node:url';
import { freePort } from './free-port.js';
import { type Server, serverOver } from './server.js';
import { startProcess } from './server-process.js';
import { removeFolder, temporaryFolder } from './temporary-folder.js';

export interface DynamoServer extends Server {
  readonly endpoint: string;
  readonly url: string;
  readonly region: string;
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string };
}

/** What any client of a stand-in must name; it checks neither. */
export const DYNAMO_CLIENT = {
  region: 'us-east-1',
  credentials: { accessKeyId: 'lousho-test', secretAccessKey: 'lousho-test' },
} as const;

/** DynamoDB by dynalite: no transactions, tables are ACTIVE at once, data outlive a kill. */
export async function startDynamo(): Promise<DynamoServer> {
  const dir = temporaryFolder('dynamo');
  const port = await freePort();
  const script = fileURLToPath(new URL('dynamo-process.js', import.meta.url));
  const server = await serverOver(
    port,
    () =>
      startProcess({
        name: 'dynalite',
        command: process.execPath,
        args: [script, `${port}`, dir],
        ready: /ready/,
        remedy: 'run `npm ci`, or set DYNAMODB_ENDPOINT to a server that tests may use',
      }),
    () => removeFolder(dir),
  );
  const endpoint = `http://127.0.0.1:${port}`;
  return { ...server, endpoint, url: endpoint, ...DYNAMO_CLIENT };
}
