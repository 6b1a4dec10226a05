import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Inspection, InspectReply, InspectRequest } from './inspection.js';

const SCRIPT = fileURLToPath(new URL('inspector.js', import.meta.url));

/** A process that looks at storages, one after the other. */
export interface Inspector {
  inspect(request: InspectRequest): Promise<Inspection>;
  end(): Promise<void>;
}

export async function startInspector(env: Readonly<Record<string, string>> = {}): Promise<Inspector> {
  const child = fork(SCRIPT, [], {
    serialization: 'advanced',
    execArgv: [],
    env: { ...process.env, ...env },
  });
  await once(child, 'message');
  let settle: ((reply: InspectReply) => void) | undefined;
  child.on('message', (reply: InspectReply) => settle?.(reply));
  child.on('exit', () => settle?.({ failure: 'it ended' }));
  return {
    inspect: async (request) => {
      const reply = await new Promise<InspectReply>((resolve) => {
        settle = resolve;
        child.send(request);
      });
      if (!reply.inspection) throw new Error(`the inspector failed: ${reply.failure}`);
      return reply.inspection;
    },
    end: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exited = once(child, 'exit');
      child.disconnect();
      await exited;
    },
  };
}
