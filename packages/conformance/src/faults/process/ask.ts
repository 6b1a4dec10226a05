// Makes calls on a storage, one after the other, and prints each answer as a line of JSON: `node ask.js MODULE CONFIG CALLS [hold]`.
// With `hold` it then lives on, with all that it holds, until its input ends.
import { SDKError } from '@lousho/core/contract';
import type { HarnessModule } from '../../model/harness.js';
import { clientOf } from '../../world/client.js';
import type { Answer, AskedCall } from './asking.js';

const [module = '', config = 'null', calls = '[]', mode] = process.argv.slice(2);
const { openFromConfig } = (await import(module)) as HarnessModule;
const answers: Answer[] = [];
try {
  const client = clientOf((await openFromConfig?.(JSON.parse(config))) ?? {});
  for (const call of JSON.parse(calls) as readonly AskedCall[]) answers.push(await answerTo(client, call));
  if (mode !== 'hold') await client.close?.();
} catch (error) {
  answers.push(refusal(error));
}
process.stdout.write(`${JSON.stringify(answers)}\n`);
if (mode === 'hold') process.stdin.resume().on('end', () => process.exit());
else process.exit();

async function answerTo(client: object, [path, ...args]: AskedCall): Promise<Answer> {
  const names = path.split('.');
  const method = names.pop() as string;
  const target = names.length === 0 ? client : (Reflect.get(client, names[0] as string) as object);
  try {
    const answer: unknown = await Reflect.apply(Reflect.get(target, method), target, args);
    return Array.isArray(answer) ? { count: answer.length } : { answer };
  } catch (error) {
    return refusal(error);
  }
}

function refusal(error: unknown): Answer {
  return { refused: error instanceof SDKError ? error.code : `no code: ${String(error)}` };
}
