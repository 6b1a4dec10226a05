import type { AgentStore } from '@lousho/core';
import { SimulatedCrash } from '@lousho/core/testing';

export interface Mortal {
  readonly store: AgentStore;
  /** `checkpoints.saveIfLeased`, `approvals.decide`, ... in order. */
  readonly operations: string[];
  /** From now on nothing of this process reaches the store. */
  kill(): never;
}

export interface Fate {
  /** Dies right before the first operation for which this holds. */
  readonly before?: (name: string, args: readonly unknown[]) => boolean;
  /** Dies right after it happened, before anybody hears of it. */
  readonly after?: (name: string, args: readonly unknown[]) => boolean;
}

/** The store as a process sees it that may die. */
export function mortal(store: AgentStore, fate: Fate = {}): Mortal {
  const operations: string[] = [];
  let isDead = false;

  function kill(): never {
    isDead = true;
    throw new SimulatedCrash();
  }

  function part<T extends object>(inner: T, name: string): T {
    return new Proxy(inner, {
      get: (target, key) => {
        const value: unknown = Reflect.get(target, key, target);
        if (typeof value !== 'function') return value;
        return async (...args: unknown[]) => {
          const operation = `${name}.${String(key)}`;
          if (isDead) throw new SimulatedCrash();
          operations.push(operation);
          if (fate.before?.(operation, args)) kill();
          const answer: unknown = await Reflect.apply(value, target, args);
          if (isDead) throw new SimulatedCrash();
          if (fate.after?.(operation, args)) kill();
          return answer;
        };
      },
    });
  }

  return {
    store: {
      ...(store.checkpoints && { checkpoints: part(store.checkpoints, 'checkpoints') }),
      ...(store.approvals && { approvals: part(store.approvals, 'approvals') }),
    },
    operations,
    kill,
  };
}

/** True for the `n`-th operation of a name, from 1. */
export function nth(n: number, operation: string): (name: string) => boolean {
  let seen = 0;
  return (name) => name === operation && ++seen === n;
}
