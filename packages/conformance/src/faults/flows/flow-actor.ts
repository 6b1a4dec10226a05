import { existsSync } from 'node:fs';
import type { AgentStore } from '@lousho/core/contract';
import { clientOf } from '../../world/client.js';
import type { Tell } from '../storage/journal.js';
import type { FlowActor } from './flow.js';

export interface ActorParts {
  readonly store: AgentStore;
  readonly owner: string;
  readonly tell: Tell;
  /** The file that lets a blocked flow go on; without it nothing blocks. */
  readonly gate?: string;
}

export function flowActor({ store, owner, tell, gate }: ActorParts): FlowActor {
  const { checkpoints, approvals, sessions } = clientOf(store);
  return {
    store,
    checkpoints,
    approvals,
    sessions,
    owner,
    effect: (name) => tell({ k: 'effect', name }),
    note: (text) => tell({ k: 'note', text }),
    block: () => {
      if (gate === undefined) return;
      tell({ k: 'note', text: 'blocked' });
      while (!existsSync(gate));
    },
  };
}
