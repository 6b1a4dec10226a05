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
  return new Proxy(part, {
    get: (target, key) => {
      const found: unknown = Reflect.get(target, key, target);
      if (typeof found !== 'function' || key === 'constructor') return found;
      return async (...args: unknown[]) => {
        await point(String(key));
        const answer: unknown = await Reflect.apply(found, target, args);
        await point(`${String(key)}:done`);
        return answer;
      };
    },
  });
}
