import { type CreateAgentOptions, createAgent, type Observer } from '@lousho/core';
import { encode } from '@lousho/core/contract';
import { mockModel } from '@lousho/core/testing';
import { memoryStore } from '@lousho/store-memory';
import { telemetry } from '@lousho/telemetry';
import { describe, expect, it } from 'vitest';
import { collected } from '../../../telemetry/test/support/collected.js';
import { spyStore } from '../executor/support/spy-store.js';
import { calls, countingTool } from '../executor/support/tools.js';

/** What a run came to, and every byte of what it saved, under ids that are the same each time. */
async function play(observer?: Observer) {
  const warnings: unknown[] = [];
  let count = 0;
  const ids = { next: () => `id-${++count}` };
  const store = spyStore(memoryStore().checkpoints);
  const tool = countingTool('a');
  const options: CreateAgentOptions = {
    provider: mockModel([calls('a', 'a2'), 'Done.']),
    store,
    tools: [tool, { ...countingTool('a2'), execute: () => Promise.reject(new Error('no')) }],
    ports: { ids, logger: { warn: (_, error) => void warnings.push(error) } },
    ...(observer && { observer }),
  };
  const result = await createAgent(options).send('Go', { sessionId: 'order-7' });
  return { result, saves: store.saves.map((save) => encode(save.checkpoint)), tool, warnings };
}

const fault = new Error('the exporter is down');
const fail = (): never => {
  throw fault;
};

describe('a run that is observed', () => {
  it('is the same run, and its record has one field more', async () => {
    const plain = await play();
    const observed = await play(collected().observer);
    expect(observed.result).toEqual(plain.result);
    expect(observed.warnings).toEqual([]);
    const without = observed.saves.map((save) =>
      save.replace(/,"trace":\{"traceparent":"[-0-9a-f]{55}"\}/, ''),
    );
    expect(without).toEqual(plain.saves);
    expect(observed.saves).not.toEqual(plain.saves);
  });

  it('without an SDK, is kept byte for byte as without an observer', async () => {
    expect((await play(telemetry())).saves).toEqual((await play()).saves);
  });

  it.each<[string, Observer]>([
    ['wherever it can', { run: fail, step: fail, modelCall: fail, toolCall: fail, save: fail, note: fail }],
    [
      'in each of its observations',
      Object.fromEntries(
        ['run', 'step', 'modelCall', 'toolCall', 'save'].map((method) => [
          method,
          () => ({
            get traceparent() {
              return fail();
            },
            within: fail,
            end: fail,
          }),
        ]),
      ),
    ],
  ])('by an observer that throws %s, is as it was, and it is said once', async (_, observer) => {
    const plain = await play();
    const observed = await play(observer);
    expect(observed.result).toEqual(plain.result);
    expect(observed.saves).toEqual(plain.saves);
    expect(observed.tool.started).toEqual(['a']);
    expect(observed.warnings).toEqual([fault]);
  });
});
