import type { ServerProcess } from './server-process.js';

/** A private server on this machine, whose data end with it. */
export interface Server {
  readonly host: string;
  readonly port: number;
  /** Ends the server and removes its data. Harmless when repeated. */
  stop(): Promise<void>;
  /** SIGKILL to the server and all its children; the data stay. */
  kill(): Promise<void>;
  /** Starts it again on the same port and data; ends it in order first when it runs. */
  restart(): Promise<void>;
  isRunning(): boolean;
  /** The last of what the server wrote. */
  output(): string;
}

/** `launch` starts the server on the port and data that it was made with. */
export async function serverOver(
  port: number,
  launch: () => Promise<ServerProcess>,
  removeData: () => void,
): Promise<Server> {
  let current = await launch().catch((error: unknown) => {
    removeData();
    throw error;
  });
  let isStopped = false;
  return {
    host: '127.0.0.1',
    port,
    stop: async () => {
      if (isStopped) return;
      isStopped = true;
      await current.kill();
      removeData();
    },
    kill: () => current.kill(),
    restart: async () => {
      if (isStopped) throw new Error('The server was stopped and its data removed: start another one');
      await current.end();
      current = await launch();
    },
    isRunning: () => current.isRunning(),
    output: () => current.output(),
  };
}
