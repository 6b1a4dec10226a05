import { readdirSync, statSync } from 'node:fs';
import type { Message } from '@lousho/core/contract';
import { fileStore } from '@lousho/store-file';
import { expect, it } from 'vitest';
import { checkpoint, contents, user } from './support/checkpoint.js';
import { faultFs } from './support/fault-fs.js';
import { tempDir } from './support/temp-dir.js';

const fs = faultFs({ withoutSync: true });

it('a run of 200 steps with 50 kept saves takes less than three times what it said', async () => {
  const dir = tempDir();
  const store = fileStore(dir, { fs });
  const messages: Message[] = [];
  await store.checkpoints.acquireLease?.('refund-42', 'worker-a', 30_000);
  let said = 0;
  let revision = 0;
  for (let step = 1; step <= 200; step++) {
    for (const [role, size] of [
      ['assistant', 1_024],
      ['tool', 4_096],
    ] as const) {
      messages.push({ role, content: 'x'.repeat(size) });
      said += size;
      const next = checkpoint({ revision: ++revision, stepIndex: step, messages });
      const unchangedMessages = messages.length - 1;
      await store.checkpoints.saveIfLeased?.('refund-42', next, 'worker-a', { unchangedMessages });
    }
  }
  await store.close();
  const ratio = bytesUnder(dir) / said;
  console.log(`stored bytes / new data: ${ratio.toFixed(2)}`);
  expect(ratio).toBeLessThan(3);
});

it('a checkpoint that is rewritten all the time does not grow without bounds', async () => {
  const dir = tempDir();
  const store = fileStore(dir, { fs, historyLimit: 3 });
  for (let save = 0; save < 400; save++) {
    await store.checkpoints.save('refund-42', checkpoint({ messages: [user(`${save}`.padEnd(4_000, '.'))] }));
  }
  expect(contents(await store.checkpoints.load('refund-42'))?.[0]).toMatch(/^399\./);
  expect(await store.checkpoints.history?.('refund-42')).toHaveLength(3);
  await store.close();
  expect(bytesUnder(dir)).toBeLessThan(2 * 4 * 4_200 + 70_000);
  expect(readdirSync(`${dir}/checkpoints/refund-42`)).toHaveLength(1);
});

it('a growing transcript is committed by its end', async () => {
  const dir = tempDir();
  const store = fileStore(dir, { fs });
  const messages: Message[] = [];
  for (let turn = 0; turn < 100; turn++) {
    messages.push(user(`${turn}: ä😀`.padEnd(1_000, '.')));
    expect(await store.sessions.saveIf('chat', turn, messages)).toBe(true);
  }
  expect((await fileStore(dir).sessions.load('chat'))?.messages).toEqual(messages);
  await store.close();
  expect(bytesUnder(dir)).toBeLessThan(2 * 100 * 1_050);
});

function bytesUnder(dir: string): number {
  return readdirSync(dir, { recursive: true, encoding: 'utf8' })
    .map((path) => statSync(`${dir}/${path}`))
    .reduce((sum, stat) => sum + (stat.isFile() ? stat.size : 0), 0);
}
