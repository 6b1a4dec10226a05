import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface Chunk {
  /** 1, 2, 3, ... over all connections and both directions. */
  readonly number: number;
  readonly connection: number;
  readonly direction: 'request' | 'reply';
  readonly bytes: Buffer;
}

/** What becomes of a chunk: `cut` and `reset` end its connection without passing it on; `hold` makes the connection half-open. */
export type Verdict = 'pass' | 'drop' | 'cut' | 'reset' | 'hold';

/** Stands between client and server and breaks what is between them. */
export interface TcpProxy {
  readonly host: string;
  readonly port: number;
  /** The same URL with the proxy in the server's place. */
  through(url: string): string;
  /** Closes all connections, and each new one at once. */
  cut(): void;
  /** Resets all connections (RST); new ones work. */
  reset(): void;
  /** Passes each chunk on that much later. */
  delay(ms: number): void;
  /** Forwards each request, discards the first answer and closes the connection; only for requests that `to` picks. */
  dropReplies(to?: (request: Buffer) => boolean): void;
  /** Passes nothing on any more, and leaves all connections open; new ones are accepted and stay silent. */
  halfOpen(): void;
  /** Ends `cut`, `delay`, `dropReplies`, `halfOpen` and `onChunk` for what comes; silent connections are closed. */
  heal(): void;
  /** Decides about each chunk by its number. */
  onChunk(decide: (chunk: Chunk) => Verdict): void;
  /** How many chunks have come. */
  readonly chunks: number;
  readonly connections: number;
  close(): Promise<void>;
}

export interface Target {
  readonly host: string;
  readonly port: number;
}

interface Pair {
  readonly number: number;
  readonly client: Socket;
  readonly server: Socket;
  isSilent: boolean;
  dropsNext: boolean;
}

export async function tcpProxy(target: Target): Promise<TcpProxy> {
  const pairs = new Set<Pair>();
  let opened = 0;
  let chunks = 0;
  let mode: 'pass' | 'cut' | 'silent' = 'pass';
  let delayMs = 0;
  let picks: ((request: Buffer) => boolean) | undefined;
  let decide: (chunk: Chunk) => Verdict = () => 'pass';

  const end = (pair: Pair, how: 'destroy' | 'resetAndDestroy' = 'destroy') => {
    pairs.delete(pair);
    pair.client[how]();
    pair.server[how]();
  };
  const carry = (pair: Pair, direction: Chunk['direction'], bytes: Buffer) => {
    chunks += 1;
    if (pair.isSilent) return;
    const verdict = decide({ number: chunks, connection: pair.number, direction, bytes });
    if (verdict === 'drop') return;
    if (verdict === 'cut') return end(pair);
    if (verdict === 'reset') return end(pair, 'resetAndDestroy');
    if (verdict === 'hold') {
      pair.isSilent = true;
      return;
    }
    if (direction === 'request' && picks?.(bytes)) pair.dropsNext = true;
    if (direction === 'reply' && pair.dropsNext) return end(pair);
    const to = direction === 'request' ? pair.server : pair.client;
    if (delayMs === 0) to.write(bytes);
    else setTimeout(() => !to.destroyed && !pair.isSilent && to.write(bytes), delayMs);
  };

  const listener = createServer((client) => {
    if (mode === 'cut') {
      client.destroy();
      return;
    }
    opened += 1;
    const server = connect(target.port, target.host);
    const pair: Pair = { number: opened, client, server, isSilent: mode === 'silent', dropsNext: false };
    pairs.add(pair);
    for (const socket of [client, server]) {
      socket.setNoDelay(true);
      socket.on('error', () => {});
    }
    client.on('data', (bytes: Buffer) => carry(pair, 'request', bytes));
    server.on('data', (bytes: Buffer) => carry(pair, 'reply', bytes));
    client.on('close', () => end(pair));
    server.on('close', () => {
      if (!pair.isSilent) setTimeout(() => end(pair), delayMs);
    });
  });
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  listener.unref();
  const { port } = listener.address() as AddressInfo;
  const endAll = (how?: 'destroy' | 'resetAndDestroy') => {
    for (const pair of [...pairs]) end(pair, how);
  };
  return {
    host: '127.0.0.1',
    port,
    through: (url) => {
      const proxied = new URL(url);
      proxied.hostname = '127.0.0.1';
      proxied.port = `${port}`;
      return proxied.href;
    },
    cut: () => {
      mode = 'cut';
      endAll();
    },
    reset: () => endAll('resetAndDestroy'),
    delay: (ms) => {
      delayMs = ms;
    },
    dropReplies: (to = () => true) => {
      picks = to;
    },
    halfOpen: () => {
      mode = 'silent';
      for (const pair of pairs) pair.isSilent = true;
    },
    heal: () => {
      mode = 'pass';
      delayMs = 0;
      picks = undefined;
      decide = () => 'pass';
      for (const pair of [...pairs]) if (pair.isSilent) end(pair);
    },
    onChunk: (handler) => {
      decide = handler;
    },
    get chunks() {
      return chunks;
    },
    get connections() {
      return pairs.size;
    },
    close: async () => {
      endAll();
      if (!listener.listening) return;
      listener.close();
      await once(listener, 'close');
    },
  };
}
