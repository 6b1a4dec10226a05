import { type AgentStore, markGuarded } from '@lousho/core/contract';
import type { SchedulingPoint } from '../reference/reference-parts.js';

/** A store with a point before and behind every call: for one whose own steps no scheduler can come between. */
export function pointedStore(store: AgentStore, point: SchedulingPoint): AgentStore {
  return {
    ...(store.checkpoints && { checkpoints: markGuarded(pointed(store.checkpoints, point)) }),
    ...(store.approvals && { approvals: pointed(store.approvals, point) }),
    ...(store.sessions && { sessions: pointed(store.sessions, point) }),
  };
}

function pointed<T extends object>(part: T, point: SchedulingPoint): T {
  const methods = new Map<string | symbol, unknown>();
  return new Proxy(part, {
    get: (target, key) => {
      const known = methods.get(key);
      if (known) return known;
      const found: unknown = Reflect.get(target, key, target);
      if (typeof found !== 'function' || key === 'constructor') return found;
      const [name, done] = [String(key), `${String(key)}:done`];
      const method = async (...args: unknown[]) => {
        await point(name);
        const answer: unknown = await Reflect.apply(found, target, args);
        await point(done);
        return answer;
      };
      methods.set(key, method);
      return method;
    },
  });
}
