import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { type ErrorCode, SDKError } from '@lousho/core/contract';
import type { Call, Reply } from '../process/messages.js';
import type { Client } from './client.js';

/** A client in another process. A call that rejects there rejects here with the same code. */
export interface Elsewhere extends Client {
  readonly pid: number;
  /** SIGSTOP: it stands still, as a virtual machine that is migrated. */
  stop(): void;
  /** SIGCONT. */
  goOn(): void;
  /** SIGKILL: nothing is closed, nothing is released. */
  kill(): Promise<void>;
}

const SCRIPT = fileURLToPath(new URL('../process/child.js', import.meta.url));

/** Starts a process that opens the storage by the harness's module. Rejects when it cannot. */
export async function startElsewhere(module: string, config: unknown): Promise<Elsewhere> {
  const child = fork(SCRIPT, [module, JSON.stringify(config)], { serialization: 'advanced', execArgv: [] });
  child.on('error', () => undefined);
  const [first] = (await Promise.race([once(child, 'message'), once(child, 'exit')])) as [unknown];
  if (first !== 'ready') throw new Error(`another process could not open the storage: ${first}`);
  const call = callsTo(child);
  const part = (name: string) =>
    new Proxy({}, { get: (_, method) => call.bind(null, `${name}.${String(method)}`) });
  return {
    pid: child.pid as number,
    checkpoints: part('checkpoints') as Client['checkpoints'],
    approvals: part('approvals') as Client['approvals'],
    sessions: part('sessions') as Client['sessions'],
    prune: (options) => call('prune', options) as ReturnType<Client['prune']>,
    close: async () => void (await call('close')),
    stop: () => void child.kill('SIGSTOP'),
    goOn: () => void child.kill('SIGCONT'),
    kill: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exited = once(child, 'exit');
      child.kill('SIGKILL');
      await exited;
    },
  };
}

/** Sends calls and settles each with its own reply; those that the process's end left open reject. */
function callsTo(child: ChildProcess): (path: string, ...args: unknown[]) => Promise<unknown> {
  const waiting = new Map<number, (reply: Reply) => void>();
  let calls = 0;
  child.on('message', (reply: Reply) => {
    waiting.get(reply.call)?.(reply);
    waiting.delete(reply.call);
  });
  child.once('exit', () => {
    for (const [call, settle] of waiting) settle({ call, error: ENDED });
  });
  return (path, ...args) =>
    new Promise((resolve, reject) => {
      calls += 1;
      waiting.set(calls, ({ answer, error }) => (error ? reject(errorFrom(error)) : resolve(answer)));
      if (!child.connected) return reject(errorFrom(ENDED));
      const sent = { call: calls, path, args } satisfies Call;
      // Without a callback, a process that ends meanwhile would end this one too.
      child.send(sent, (error) => error && reject(errorFrom(ENDED)));
    });
}

const ENDED = { message: 'the process ended' };

function errorFrom({ code, message }: NonNullable<Reply['error']>): Error {
  return code === undefined ? new Error(message) : new SDKError(code as ErrorCode, message);
}
