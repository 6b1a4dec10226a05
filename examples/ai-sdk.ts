// An agent whose model comes from the AI SDK, by way of any server that speaks OpenAI's chat completions. When the model fails, run it
// again: it goes on from the last saved step. Run it with
// `npx tsc -b && BASE_URL=https://api.example.com/v1 API_KEY=… MODEL=small-1 node examples/dist/ai-sdk.js`.
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { aiSdk } from '@lousho/ai-sdk';
import { createAgent, defineTool, ProviderRequestError } from '@lousho/core';
import { SqliteStore } from '@lousho/store-sqlite';
import { z } from 'zod';

const {
  BASE_URL = 'http://localhost:11434/v1',
  API_KEY = '',
  MODEL = 'qwen3',
  DB = './weather.db',
} = process.env;

const vendor = createOpenAICompatible({
  name: 'vendor',
  baseURL: BASE_URL,
  apiKey: API_KEY,
  includeUsage: true,
});

const forecast = defineTool({
  name: 'forecast',
  description: 'Tells the weather of a city.',
  input: z.object({ city: z.string() }),
  execute: ({ city }) => {
    console.log(`looking at ${city}`);
    return { city, degrees: 21 };
  },
});

const store = new SqliteStore(DB);
const agent = createAgent({ provider: aiSdk(vendor(MODEL), { temperature: 0 }), tools: [forecast], store });

try {
  const run = agent.stream('What is the weather in Lisbon?', { sessionId: 'weather-1' });
  for await (const event of run) if (event.type === 'text.delta') process.stdout.write(event.delta);
  const { usage, steps } = await run.result;
  console.log(`\n${steps} model calls, ${usage.inputTokens} tokens in, ${usage.outputTokens} out`);
} catch (error) {
  if (!(error instanceof ProviderRequestError)) throw error;
  const { category = 'no reason that is known', retryable, retryAfterMs = 0 } = error;
  console.log(
    `the model call failed: ${category}, ${retryable ? `try again in ${retryAfterMs} ms` : 'final'}`,
  );
  process.exitCode = 1;
} finally {
  await store.close();
}
