import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BundledStore, createAgent, defineTool, encrypted, PropagatingToolError } from '@lousho/core';
import { mockModel } from '@lousho/core/testing';
import { fileStore } from '@lousho/store-file';
import { SqliteStore } from '@lousho/store-sqlite';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { keys } from './support/keys.js';

/** In the content of each kind of record, and nowhere else. */
const SECRET = 'xyzzy';

const STORES: readonly (readonly [string, (dir: string) => BundledStore])[] = [
  ['file', (dir) => fileStore(dir)],
  ['sqlite', (dir) => new SqliteStore(join(dir, 'runs.db'))],
];

describe.each(STORES)('on the disk of an encrypted %s store', (_, openStore) => {
  it('nothing of a content can be read, and what operators ask for can', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'lousho-rest-'));
    onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
    const plain = openStore(dir);
    await leaveRecordsOfEveryKind(encrypted(plain, keys('k1')));
    const pending = await plain.checkpoints.listPending?.();
    expect(pending?.map(({ sessionId, status }) => [sessionId, status])).toEqual([
      ['failed', 'in-progress'],
      ['paused', 'awaiting-approval'],
    ]);
    await plain.close();
    expect(filesUnder(dir).filter((path) => readFileSync(path).includes(SECRET))).toEqual([]);
  });

  it('the same records without encryption can be read there', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'lousho-rest-'));
    onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
    const plain = openStore(dir);
    await leaveRecordsOfEveryKind(plain);
    await plain.close();
    expect(filesUnder(dir).some((path) => readFileSync(path).includes(SECRET))).toBe(true);
  });
});

async function leaveRecordsOfEveryKind(store: BundledStore): Promise<void> {
  const tool = (name: string, needsApproval: boolean, execute: () => Promise<string>) =>
    defineTool({ name, description: name, input: z.looseObject({}), needsApproval, execute });
  const pay = tool('pay', true, async () => `paid ${SECRET}`);
  const fail = tool('fail', false, async () => {
    throw new PropagatingToolError(`no ${SECRET}`);
  });
  const call = (name: string) => ({ toolCalls: [{ name, args: { to: SECRET } }] });
  const send = (sessionId: string, script: Parameters<typeof mockModel>[0]) =>
    createAgent({ provider: mockModel(script), store, tools: [pay, fail] }).send(`say ${SECRET}`, {
      sessionId,
      businessState: { note: SECRET },
      metadata: { tenant: SECRET },
      principal: SECRET,
    });
  await send('finished', [`It is ${SECRET}.`]);
  await send('paused', [call('pay')]);
  await send('decided', [call('pay')]);
  await expect(send('failed', [call('fail')])).rejects.toThrow(SECRET);
  const agent = createAgent({ provider: mockModel([`Told ${SECRET}.`, 'Done.']), store, tools: [pay, fail] });
  await agent.session({ id: 'talk' }).send(`hear ${SECRET}`);
  const asked = (await store.approvals.list()).find(({ sessionId }) => sessionId === 'decided');
  await agent.approvals.resolve(
    { id: asked?.id ?? '', approved: false, note: `not ${SECRET}`, by: SECRET },
    { principal: SECRET },
  );
}

function filesUnder(dir: string): string[] {
  return readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}
