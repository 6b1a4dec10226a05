import type { AgentStore, CreateAgentOptions } from '@lousho/core';
import {
  type ScriptedModel,
  type Workshop,
  type WorkshopOptions,
  workshop,
} from '../../approval/support/workshop.js';
import type { FullStore } from '../../harness/store-kind.js';

export type OfficeOptions = Omit<WorkshopOptions, 'store'> &
  Pick<Partial<CreateAgentOptions>, 'onAgentDrift'>;

/** What several processes share: a storage, and a count of effects that no process takes with it when it dies. */
export interface Office {
  readonly effects: string[];
  /** A process as it starts: a fresh agent, with a client of its own. */
  start(options?: Partial<OfficeOptions> & { readonly store?: AgentStore }): Workshop;
}

export function office(open: () => FullStore, options: OfficeOptions): Office {
  const effects: string[] = [];
  return {
    effects,
    start: ({ store, ...changed } = {}) =>
      workshop({ ...options, effects, ...changed, store: store ?? open() }),
  };
}

/** The model calls of some processes. */
export function asked(...processes: readonly { readonly model: ScriptedModel }[]): number {
  return processes.reduce((sum, { model }) => sum + model.requests.length, 0);
}
