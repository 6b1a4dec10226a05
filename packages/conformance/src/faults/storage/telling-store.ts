import { type AgentStore, SDKError } from '@lousho/core/contract';
import type { Tell } from './journal.js';

const MUTATING: Readonly<Record<string, readonly string[]>> = {
  checkpoints: [
    'save',
    'saveIfLeased',
    'delete',
    'acquireLease',
    'renewLease',
    'renewLeases',
    'releaseLease',
  ],
  approvals: ['save', 'decide', 'delete'],
  sessions: ['saveIf', 'delete'],
};

/** What is done about a call that rejected: whether to make it again. */
export type AfterRefusal = () => Promise<'again' | 'give up'>;

/** The store, with every call that changes something told before it is made and after it was answered. */
export function tellingStore(store: AgentStore, tell: Tell, afterRefusal?: AfterRefusal): AgentStore {
  let calls = 0;
  const told = (path: string, call: (...args: unknown[]) => Promise<unknown>) =>
    async function ask(...args: unknown[]): Promise<unknown> {
      calls += 1;
      const n = calls;
      tell({ k: 'call', n, path, args });
      try {
        const answer = await call(...args);
        tell({ k: 'answer', n, answer });
        return answer;
      } catch (error) {
        tell({ k: 'refused', n, ...codeOf(error), message: String(error) });
        if ((await afterRefusal?.()) === 'again') return ask(...args);
        throw error;
      }
    };
  const persistent = (call: (...args: unknown[]) => unknown, afterwards: AfterRefusal) =>
    async function read(...args: unknown[]): Promise<unknown> {
      try {
        return await call(...args);
      } catch (error) {
        tell({ k: 'refused', n: 0, ...codeOf(error), message: String(error) });
        if ((await afterwards()) === 'again') return read(...args);
        throw error;
      }
    };
  const part = (name: string) => {
    const inner: unknown = Reflect.get(store, name);
    if (typeof inner !== 'object' || inner === null) return {};
    const outer = new Proxy(inner, {
      get(target, method) {
        const found: unknown = Reflect.get(target, method, target);
        if (typeof found !== 'function') return found;
        const bound = found.bind(target) as (...args: unknown[]) => Promise<unknown>;
        if (MUTATING[name]?.includes(String(method))) return told(`${name}.${String(method)}`, bound);
        return afterRefusal ? persistent(bound, afterRefusal) : bound;
      },
    });
    return { [name]: outer };
  };
  return {
    ...part('checkpoints'),
    ...part('approvals'),
    ...part('sessions'),
    close: async () => store.close?.(),
  };
}

function codeOf(error: unknown): { readonly code?: string } {
  return error instanceof SDKError ? { code: error.code } : {};
}
