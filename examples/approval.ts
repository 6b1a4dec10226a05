// A refund waits for a person. One process asks and ends; three days later another one, which knows nothing but the store, is given
// the decision and goes on. Run it with `npx tsc -b && node examples/dist/approval.js`.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createAgent, defineTool, type LLMProvider, systemTimers } from '@lousho/core';
import { SqliteStore } from '@lousho/store-sqlite';
import { z } from 'zod';

const DAY_MS = 86_400_000;

/** Stands in for a model: which turn is due follows from the transcript. */
const provider: LLMProvider = {
  name: 'scripted',
  generate: async ({ messages }) =>
    messages.some((message) => message.role === 'tool')
      ? { text: 'Order 7 is refunded.', finishReason: 'stop' }
      : {
          text: '',
          finishReason: 'tool_calls',
          toolCalls: [
            {
              id: 'call_1',
              type: 'function',
              function: { name: 'refund', arguments: '{"order":7,"amount":240}' },
            },
          ],
        },
};

const refund = defineTool({
  name: 'refund',
  description: 'Pay an order back',
  input: z.object({ order: z.number(), amount: z.number() }),
  needsApproval: ({ amount }) => amount > 100,
  execute: ({ amount }, { approval }) => {
    // The id of the approval is an idempotency key: the bank sees it at most once.
    say(`refund pays ${amount} EUR, approved by ${approval?.by} ("${approval?.note}")`);
    return { refunded: amount };
  },
});

function open(folder: string, today: number) {
  const store = new SqliteStore(join(folder, 'support.db'));
  // Only for the example: the clock of this process is so many days ahead.
  const timers = { ...systemTimers, now: () => systemTimers.now() + today * DAY_MS };
  const agent = createAgent({
    provider,
    tools: [refund],
    store,
    approvalTtlMs: 7 * DAY_MS,
    ports: { timers },
  });
  return { agent, store };
}

async function ask(folder: string): Promise<void> {
  const { agent, store } = open(folder, 0);
  const paused = await agent.send('Order 7 arrived broken.', { sessionId: 'order-7' });
  say(`the run stops: ${paused.finishReason}`);
  await store.close();
}

async function decide(folder: string): Promise<void> {
  const { agent, store } = open(folder, 3);
  for (const { id, toolName, args, createdAt } of await agent.approvals.list()) {
    say(`${toolName} ${JSON.stringify(args)} waits since ${createdAt.slice(0, 10)}`);
    const decision = { id, approved: true, note: 'photo seen', by: 'ana' };
    const result = await agent.approvals.resolve(decision);
    say(`the run goes on: "${result.text}"`);
    await agent.approvals.resolve(decision).catch((error) => say(`a second click: ${error.code}`));
  }
  await store.close();
}

function say(line: string): void {
  console.log(`  process ${process.pid}  ${line}`);
}

function main(): number {
  const folder = mkdtempSync(join(tmpdir(), 'lousho-approval-'));
  const run = (role: string) =>
    spawnSync(process.execPath, [fileURLToPath(import.meta.url), role, folder], { stdio: 'inherit' }).status;
  try {
    console.log('An agent asks whether it may refund order 7, and its process ends:\n');
    const asked = run('ask');
    console.log('\nThree days later, in a new process:\n');
    return asked === 0 && run('decide') === 0 ? 0 : 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const [role, folder = ''] = process.argv.slice(2);
if (role === 'ask') await ask(folder);
else if (role === 'decide') await decide(folder);
else process.exitCode = main();
