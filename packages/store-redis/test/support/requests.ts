import { once } from 'node:events';
import { connect } from 'node:net';
import type { TcpProxy } from '@lousho/test-backends';

/** Remembers what clients send through a proxy, so that it can be sent again as a client would that lost the answer. */
export function recordRequests(proxy: TcpProxy): Buffer[] {
  const requests: Buffer[] = [];
  proxy.onChunk(({ bytes, direction }) => {
    if (direction === 'request') requests.push(bytes);
    return 'pass';
  });
  return requests;
}

/** Sends the bytes of one request and gives the server's first answer. */
export async function sendAgain(
  { host, port }: { readonly host: string; readonly port: number },
  request: Buffer,
): Promise<string> {
  const socket = connect(port, host);
  socket.write(request);
  const [answer] = (await once(socket, 'data')) as [Buffer];
  socket.destroy();
  return answer.toString();
}
