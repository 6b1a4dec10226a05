import { once } from 'node:events';
import { connect } from 'node:net';

/** One inline command on a connection of its own; the answer as it came. */
export async function askRedis(
  { host, port }: { host: string; port: number },
  command: string,
): Promise<string> {
  const socket = connect(port, host);
  await once(socket, 'connect');
  socket.write(`${command}\r\n`);
  const [answer] = (await once(socket, 'data')) as [Buffer];
  socket.destroy();
  return answer.toString().trimEnd();
}
