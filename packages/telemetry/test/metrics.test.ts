import { createAgent } from '@lousho/core';
import { mockModel } from '@lousho/core/testing';
import { describe, expect, it } from 'vitest';
import { collected } from './support/collected.js';

const SMALL = {
  'gen_ai.operation.name': 'chat',
  'gen_ai.provider.name': 'mock',
  'gen_ai.request.model': 'small-1',
};

describe('the metrics of model calls', () => {
  it('count tokens by their kind, and the seconds of each call', async () => {
    const { observer, points } = collected();
    const usage = { model: 'small-1-2026', inputTokens: 30, outputTokens: 5 };
    const provider = mockModel([{ text: 'Hi', usage }], {
      onExhausted: 'repeat-last',
      defaultModel: 'small-1',
    });
    const agent = createAgent({ provider, observer });
    await agent.send('Go');
    await agent.send('Go');
    const answered = { ...SMALL, 'gen_ai.response.model': 'small-1-2026' };
    expect(await points('gen_ai.client.token.usage')).toEqual([
      { attributes: { ...answered, 'gen_ai.token.type': 'input' }, value: { count: 2, sum: 60 } },
      { attributes: { ...answered, 'gen_ai.token.type': 'output' }, value: { count: 2, sum: 10 } },
    ]);
    expect(await points('gen_ai.client.operation.duration')).toEqual([
      { attributes: answered, value: { count: 2, sum: expect.any(Number) } },
    ]);
  });

  it('know a call that failed, and count no tokens of it', async () => {
    const { observer, points } = collected();
    const provider = mockModel([{ error: new Error('no') }], { defaultModel: 'small-1' });
    await expect(createAgent({ provider, observer }).send('Go')).rejects.toThrow();
    expect(await points('gen_ai.client.operation.duration')).toEqual([
      {
        attributes: { ...SMALL, 'error.type': 'LOUSHO_PROVIDER_REQUEST_FAILED' },
        value: { count: 1, sum: expect.any(Number) },
      },
    ]);
    expect(await points('gen_ai.client.token.usage')).toEqual([]);
  });
});
