import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { FullStore } from './store-kind.js';

type Part = 'checkpoints' | 'approvals' | 'sessions';

/** A client in another process. Its parts have the store's methods; a refusal rejects with the code as its message. */
export interface Elsewhere extends Pick<FullStore, Part> {
  readonly pid: number;
  stop(): void;
  /** As a crash: nothing is closed, nothing is released. */
  kill(): Promise<void>;
}

export async function startElsewhere(kind: string, dir: string): Promise<Elsewhere> {
  const script = fileURLToPath(new URL('elsewhere.js', import.meta.url));
  const child = fork(script, [kind, dir], { serialization: 'advanced', execArgv: [] });
  await once(child, 'message');
  const waiting = new Map<number, (reply: Reply) => void>();
  child.on('message', (reply: Reply) => {
    waiting.get(reply.call)?.(reply);
    waiting.delete(reply.call);
  });
  let calls = 0;
  const call = (part: Part, method: string, args: readonly unknown[]) =>
    new Promise((resolve, reject) => {
      calls += 1;
      waiting.set(calls, ({ code, answer }) =>
        code === undefined ? resolve(answer) : reject(new Error(code)),
      );
      child.send({ call: calls, part, method, args });
    });
  const remote = (part: Part) =>
    new Proxy(
      {},
      {
        get:
          (_, method) =>
          (...args: readonly unknown[]) =>
            call(part, String(method), args),
      },
    );
  return {
    pid: child.pid as number,
    checkpoints: remote('checkpoints') as FullStore['checkpoints'],
    approvals: remote('approvals') as FullStore['approvals'],
    sessions: remote('sessions') as FullStore['sessions'],
    stop: () => {
      child.kill('SIGSTOP');
    },
    kill: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exited = once(child, 'exit');
      child.kill('SIGKILL');
      await exited;
    },
  };
}

interface Reply {
  readonly call: number;
  readonly answer?: unknown;
  readonly code?: string;
}
