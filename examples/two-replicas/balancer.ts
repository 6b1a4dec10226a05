import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Balancer {
  readonly url: string;
  /** Requests that were passed on so far. */
  passed(): number;
  close(): void;
}

/** One URL in front of several servers, which take turns. A server that is gone costs the caller a 502, and gets no more turns. */
export async function startBalancer(servers: readonly string[]): Promise<Balancer> {
  let targets = servers;
  let passed = 0;
  const server = createServer((incoming, outgoing) => {
    const target = targets[passed++ % targets.length] as string;
    const { method, headers } = incoming;
    const onward = request(new URL(incoming.url ?? '/', target), { method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    onward.once('error', () => {
      targets = targets.filter((other) => other !== target);
      outgoing.writeHead(502, { 'content-type': 'application/json' });
      outgoing.end('{"error":"REPLICA_GONE"}');
    });
    incoming.pipe(onward);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    passed: () => passed,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
