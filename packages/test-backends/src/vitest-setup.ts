import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import type { Server } from './server.js';
import { SHARED_PORT, type SharedName, START } from './shared.js';

/** vitest's globalSetup: starts a server when the first test file asks for it, and stops all at the end of the run. */
export default async function setup(): Promise<() => Promise<void>> {
  const started = new Map<SharedName, Promise<{ readonly url: string }>>();
  const answer = async (socket: Socket, name: SharedName) => {
    let server = started.get(name);
    if (!server) {
      server = START[name]();
      started.set(name, server);
    }
    const reply = await server.then(
      ({ url }) => ({ url }),
      (error: Error) => ({ error: error.message }),
    );
    socket.end(JSON.stringify(reply));
  };
  const listener = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on('error', () => {});
    createInterface({ input: socket }).once('line', (name) => void answer(socket, name as SharedName));
  });
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  listener.unref();
  process.env[SHARED_PORT] = `${(listener.address() as AddressInfo).port}`;
  return async () => {
    listener.close();
    const servers = (await Promise.allSettled(started.values())) as { value?: Partial<Server> }[];
    await Promise.all(servers.map(({ value }) => value?.stop?.()));
  };
}
