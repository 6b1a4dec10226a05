import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { aiSdk } from '@lousho/ai-sdk';
import { defineTool, type LLMProvider } from '@lousho/core';
import {
  answersIn,
  type ChatAnswer,
  type ChatReply,
  type ChatRequest,
  type ChatServer,
  startChatServer,
} from '@lousho/test-backends';
import { onTestFinished } from 'vitest';
import { z } from 'zod';

/** Two conversations' worth of answers: reasoning, several calls in a turn, ids that come again, arguments and tools that fail. */
const ANSWERS: readonly ChatReply[] = [
  {
    reasoning: 'Two cities. ',
    text: 'I look at both.',
    toolCalls: [
      { id: 'call_0', name: 'forecast', args: { city: 'Oslo' } },
      { id: 'call_1', name: 'forecast', args: { city: 'Rome' } },
    ],
  },
  {
    toolCalls: [
      { id: 'call_0', name: 'forecast', args: '{"city": "At' },
      { id: 'call_1', name: 'book', args: { city: 'Atlantis' } },
    ],
  },
  { toolCalls: [{ id: 'call_0', name: 'book', args: { city: 'Rome' } }] },
  { reasoning: 'All done.', text: 'Rome is booked.' },
  { text: 'Wait.', toolCalls: [{ id: 'call_0', name: 'ghost', args: {} }] },
  { text: 'There is no such thing.' },
];

export const TURNS = [{ input: 'Book the warmer one' }, { input: 'And cancel it' }];

export interface Weather {
  readonly server: ChatServer;
  readonly provider: LLMProvider;
}

/** A model that signs its calls, behind a server that refuses what vendors refuse. `before` may answer in its place. */
export async function weather(
  before: (request: ChatRequest, due: ChatReply) => ChatAnswer | undefined = () => undefined,
): Promise<Weather> {
  const server = await startChatServer({
    signsCalls: true,
    answer: (request) => {
      const due = ANSWERS[answersIn(request.messages)] ?? { text: 'Nothing is left to say.' };
      return before(request, due) ?? due;
    },
  });
  onTestFinished(() => server.close());
  const { baseURL, apiKey } = server;
  const vendor = createOpenAICompatible({ name: 'google', baseURL, apiKey, includeUsage: true });
  return { server, provider: aiSdk(vendor('small')) };
}

export const weatherTools = [
  defineTool({
    name: 'forecast',
    description: 'The weather of a city',
    input: z.object({ city: z.string() }),
    execute: ({ city }) => ({ city, degrees: city === 'Rome' ? 28 : 3 }),
  }),
  defineTool({
    name: 'book',
    description: 'Books a journey',
    input: z.object({ city: z.string() }),
    execute: ({ city }) => {
      if (city !== 'Rome') throw new RangeError(`no way to ${city}`);
      return `${city} is booked`;
    },
  }),
];
