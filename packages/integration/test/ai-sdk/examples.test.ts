import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type ChatAnswer, type ChatServer, startChatServer } from '@lousho/test-backends';
import { describe, expect, it, onTestFinished } from 'vitest';

/** A server whose answers are given one after another, and an example that asks it, each time as a new process. */
async function example(name: string, answers: readonly ChatAnswer[]) {
  let given = 0;
  const server: ChatServer = await startChatServer({
    answer: () => answers[given++] ?? { text: 'What else?' },
  });
  const folder = mkdtempSync(join(tmpdir(), 'lousho-example-'));
  onTestFinished(async () => {
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const program = fileURLToPath(new URL(`../../../../examples/dist/${name}.js`, import.meta.url));
  const env = {
    BASE_URL: server.baseURL,
    API_KEY: server.apiKey,
    MODEL: 'small',
    DB: join(folder, 'runs.db'),
  };
  const run = () =>
    new Promise<{ code: number; said: readonly string[]; complaints: string }>((resolve) => {
      const child = execFile(process.execPath, [program], { env }, (_, stdout, complaints) =>
        resolve({ code: child.exitCode ?? -1, said: stdout.trim().split('\n'), complaints }),
      );
    });
  return { server, run };
}

describe('examples/ai-sdk.ts', () => {
  it('goes on where the model failed, and looks at the city once', async () => {
    const { server, run } = await example('ai-sdk', [
      { toolCalls: [{ id: 'call_1', name: 'forecast', args: { city: 'Lisbon' } }] },
      { status: 429, error: { message: 'slow down' }, headers: { 'retry-after': '2' } },
      { text: 'It is 21 degrees.' },
    ]);
    expect(await run()).toEqual({
      code: 1,
      said: ['looking at Lisbon', 'the model call failed: rate-limit, try again in 2000 ms'],
      complaints: '',
    });
    expect(await run()).toEqual({
      code: 0,
      said: ['It is 21 degrees.', '2 model calls, 200 tokens in, 40 out'],
      complaints: '',
    });
    expect(server.refusals).toEqual([]);
    expect(server.requests.every(({ stream }) => stream === true)).toBe(true);
  });
});

describe('examples/mcp-tools.ts', () => {
  it('reads and closes a ticket with the tools of an MCP server', async () => {
    const { server, run } = await example('mcp-tools', [
      { toolCalls: [{ id: 'call_1', name: 'read_ticket', args: { ticket: 7 } }] },
      { toolCalls: [{ id: 'call_2', name: 'close_ticket', args: { ticket: 'seven' } }] },
      { toolCalls: [{ id: 'call_3', name: 'close_ticket', args: { ticket: 7 } }] },
      { text: 'Ticket 7 is closed.' },
    ]);
    expect(await run()).toEqual({
      code: 0,
      said: ['ticket 7 is closed', 'Ticket 7 is closed.'],
      complaints: '',
    });
    expect(server.refusals).toEqual([]);
    const results = server.requests.at(-1)?.messages.filter(({ role }) => role === 'tool');
    expect(results?.[0]?.content).toBe('Ticket 7: the printer works again.');
    expect(JSON.parse(results?.[1]?.content as string)).toMatchObject({ error: 'Error', kind: 'execution' });
    expect(results?.[2]?.content).toBe('closed');
    expect(server.requests[0]?.tools?.map((tool) => tool.function)).toMatchObject([
      { name: 'read_ticket', parameters: { type: 'object', required: ['ticket'] } },
      { name: 'close_ticket' },
    ]);
  });
});
