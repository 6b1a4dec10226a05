// A client of a storage in a process of its own: makes the calls that it is sent and sends the answers back.
import { SDKError } from '@lousho/core/contract';
import type { HarnessModule } from '../model/harness.js';
import { clientOf } from '../world/client.js';
import type { Call, Reply } from './messages.js';

const [module = '', config = 'null'] = process.argv.slice(2);
const { openFromConfig } = (await import(module)) as HarnessModule;
if (!openFromConfig) throw new Error(`${module} exports no openFromConfig`);
const client = clientOf(await openFromConfig(JSON.parse(config)));

process.on('message', async ({ call, path, args }: Call) => {
  process.send?.(await replyTo(call, path, args));
});
process.on('disconnect', () => process.exit());
process.send?.('ready');

async function replyTo(call: number, path: string, args: readonly unknown[]): Promise<Reply> {
  const names = path.split('.');
  const name = names.pop() as string;
  const target: object = names.length === 0 ? client : Reflect.get(client, names[0] as string);
  try {
    return { call, answer: await Reflect.apply(Reflect.get(target, name), target, args) };
  } catch (error) {
    const message = error instanceof SDKError ? error.detail : String(error);
    return { call, error: { message, ...(error instanceof SDKError && { code: error.code }) } };
  }
}
