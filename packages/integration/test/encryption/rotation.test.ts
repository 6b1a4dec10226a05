import { checkpoint, user } from '@lousho/conformance';
import { type BundledStore, createAgent, encrypted } from '@lousho/core';
import { mockModel } from '@lousho/core/testing';
import { describe, expect, it } from 'vitest';
import file from '../../src/conformance/file.harness.js';
import memory from '../../src/conformance/memory.harness.js';
import postgres from '../../src/conformance/postgres.harness.js';
import redis from '../../src/conformance/redis.harness.js';
import sqlite from '../../src/conformance/sqlite.harness.js';
import { keys } from './support/keys.js';
import { storageOf } from './support/storage-of.js';

/** The rolling deployments of a rotation: of two replicas one is replaced at a time. */
const STEPS = [
  ['both know k1', keys('k1'), keys('k1')],
  ['one has learned k2', keys('k2', 'k1'), keys('k1')],
  ['both have learned k2', keys('k2', 'k1'), keys('k2', 'k1')],
  ['one writes with k2', keys('k1', 'k2'), keys('k2', 'k1')],
  ['both write with k2', keys('k1', 'k2'), keys('k1', 'k2')],
] as const;

describe.each([memory, file, sqlite, postgres, redis])('keys rotate on $name', (harness) => {
  it('while replicas of each step take turns on one run, and none is refused', async () => {
    const open = await storageOf(harness);
    const said: string[] = [];
    for (const [step, a, b] of STEPS) {
      for (const [index, known] of [a, b, a, b].entries()) {
        const store = encrypted((await open()) as BundledStore, known);
        const agent = createAgent({ provider: mockModel([`Heard of: ${step}.`]), store });
        const input = `${step}, ${index}`;
        const { messages } = await agent.send(input, { sessionId: 'refund-42' });
        said.push(input, `Heard of: ${step}.`);
        expect(messages.map(({ content }) => content)).toEqual(said);
      }
    }
    const newest = encrypted((await open()) as BundledStore, keys('k1', 'k2'));
    expect((await newest.checkpoints.history?.('refund-42'))?.length).toBe(20);
  });

  it('and a replica that was forgotten is refused instead of advancing what it cannot read', async () => {
    const open = await storageOf(harness);
    const plain = (await open()) as BundledStore;
    const ahead = encrypted(plain, keys('k1', 'k2'));
    const behind = encrypted(plain, keys('k1'));
    await behind.checkpoints.save('refund-42', checkpoint({ revision: 1, status: 'in-progress' }));
    await ahead.checkpoints.save(
      'refund-42',
      checkpoint({ revision: 2, status: 'in-progress', messages: [user('a')] }),
    );
    const before = await plain.checkpoints.load('refund-42');
    const provider = mockModel(['Done.']);
    const agent = createAgent({ provider, store: behind });
    await expect(agent.resume('refund-42')).rejects.toMatchObject({ code: 'LOUSHO_RECORD_KEY_UNKNOWN' });
    expect(provider.calls).toEqual([]);
    expect(await plain.checkpoints.load('refund-42')).toEqual(before);
    expect((await ahead.checkpoints.load('refund-42'))?.revision).toBe(2);
  });
});
