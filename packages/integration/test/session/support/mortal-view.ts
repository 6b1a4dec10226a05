import type { AgentStore, Checkpoint } from '@lousho/core';
import { SimulatedCrash } from '@lousho/core/testing';
import { view } from './view.js';

export interface ViewFate {
  /** Dies right before the first operation for which this holds; `count` is its number, from 1. */
  readonly before?: (name: string, count: number) => boolean;
  /** Dies right after it happened. A save that waits for a person is named `paused`. */
  readonly after?: (name: string, count: number) => boolean;
}

/** The whole store, transcripts included, as a process sees it that may die. */
export function mortalView(store: AgentStore, fate: ViewFate): { readonly store: AgentStore } {
  let isDead = false;
  let count = 0;
  const die = (): never => {
    isDead = true;
    throw new SimulatedCrash();
  };
  return {
    store: view(store, async (operation, args, next) => {
      const name = nameOf(operation, args);
      if (isDead) throw new SimulatedCrash();
      count += 1;
      const n = count;
      if (fate.before?.(name, n)) die();
      const answer = await next();
      if (isDead) throw new SimulatedCrash();
      if (fate.after?.(name, n)) die();
      return answer;
    }),
  };
}

function nameOf(operation: string, args: readonly unknown[]): string {
  const isTurn = operation === 'checkpoints.saveIfLeased';
  return isTurn && (args[1] as Checkpoint).status === 'awaiting-approval' ? 'paused' : operation;
}

/** A process that dies before its `n`-th save of a turn: the first one has the model's first answer. */
export function diesAtSave(store: AgentStore, n: number): AgentStore {
  let saves = 0;
  return mortalView(store, { before: (name) => name === 'checkpoints.saveIfLeased' && ++saves === n }).store;
}
