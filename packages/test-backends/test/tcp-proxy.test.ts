import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { type TcpProxy, tcpProxy } from '@lousho/test-backends';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';

interface Client {
  /** Sends the text; the answer, or how the connection ended. */
  ask(text: string): Promise<string>;
  isOpen(): boolean;
}

/** Answers each line with the same line in capitals, and remembers what it was asked. */
async function shoutingServer(): Promise<{ port: number; asked: string[] }> {
  const asked: string[] = [];
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => {});
    socket.on('data', (text) => {
      asked.push(String(text));
      socket.write(String(text).toUpperCase());
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, asked };
}

async function clientOf(port: number): Promise<Client> {
  const socket = connect(port, '127.0.0.1');
  onTestFinished(() => {
    socket.destroy();
  });
  let failure = '';
  socket.on('error', (error: NodeJS.ErrnoException) => {
    failure = error.code ?? '';
  });
  await once(socket, 'connect');
  return {
    ask: (text) => {
      socket.write(text);
      return new Promise((resolve) => {
        socket.once('data', (answer) => resolve(String(answer)));
        socket.once('close', () => resolve(`closed ${failure}`.trim()));
      });
    },
    isOpen: () => !socket.destroyed,
  };
}

describe('tcpProxy', () => {
  let proxy: TcpProxy;
  let asked: string[];

  beforeEach(async () => {
    const server = await shoutingServer();
    asked = server.asked;
    proxy = await tcpProxy({ host: '127.0.0.1', port: server.port });
    return () => proxy.close();
  });

  it('passes everything on, and numbers the chunks', async () => {
    const client = await clientOf(proxy.port);
    expect(await client.ask('hello')).toBe('HELLO');
    expect(await client.ask('again')).toBe('AGAIN');
    expect(proxy.chunks).toBe(4);
    expect(proxy.through('postgres://user:secret@elsewhere:5432/name')).toBe(
      `postgres://user:secret@127.0.0.1:${proxy.port}/name`,
    );
  });

  it('cut ends all connections and refuses new ones until it is healed', async () => {
    const client = await clientOf(proxy.port);
    const answer = client.ask('first');
    expect(await answer).toBe('FIRST');
    proxy.cut();
    await expect.poll(client.isOpen).toBe(false);
    const refused = await clientOf(proxy.port);
    await expect.poll(refused.isOpen).toBe(false);
    proxy.heal();
    expect(await (await clientOf(proxy.port)).ask('third')).toBe('THIRD');
    expect(asked).toEqual(['first', 'third']);
  });

  it('reset ends connections as a crash does, and takes new ones', async () => {
    const client = await clientOf(proxy.port);
    await client.ask('first');
    proxy.onChunk(({ direction }) => (direction === 'reply' ? 'drop' : 'pass'));
    const answer = client.ask('second');
    await expect.poll(() => proxy.chunks).toBe(4);
    proxy.reset();
    expect(await answer).toBe('closed ECONNRESET');
    proxy.heal();
    expect(await (await clientOf(proxy.port)).ask('third')).toBe('THIRD');
  });

  it('dropReplies lets the request through and ends the connection instead of the answer', async () => {
    proxy.dropReplies((request) => request.includes('commit'));
    const client = await clientOf(proxy.port);
    expect(await client.ask('hello')).toBe('HELLO');
    expect(await client.ask('commit')).toBe('closed');
    expect(asked).toEqual(['hello', 'commit']);
  });

  it('halfOpen leaves connections open and silent, new ones too', async () => {
    const before = await clientOf(proxy.port);
    await before.ask('first');
    proxy.halfOpen();
    const after = await clientOf(proxy.port);
    const answers = [before.ask('second'), after.ask('third')];
    await expect.poll(() => proxy.chunks).toBe(4);
    expect([before.isOpen(), after.isOpen()]).toEqual([true, true]);
    expect(asked).toEqual(['first']);
    proxy.heal();
    expect(await Promise.all(answers)).toEqual(['closed', 'closed']);
  });

  it('delay passes chunks on later', async () => {
    proxy.delay(60);
    const client = await clientOf(proxy.port);
    const startedAt = performance.now();
    expect(await client.ask('hello')).toBe('HELLO');
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(115);
  });

  it('onChunk decides about a chunk by its number', async () => {
    proxy.onChunk(({ number }) => (number === 3 ? 'cut' : 'pass'));
    const client = await clientOf(proxy.port);
    expect(await client.ask('one')).toBe('ONE');
    expect(await client.ask('two')).toBe('closed');
    expect(asked).toEqual(['one']);
  });
});
