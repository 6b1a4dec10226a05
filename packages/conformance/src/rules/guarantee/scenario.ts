import type { CrashScenario } from '@lousho/core/testing';
import { ID, TTL } from '../../world/builders.js';
import type { Client } from '../../world/client.js';
import { type Turn, workbench } from '../../world/workbench.js';
import type { World } from '../../world/world.js';

export interface ScriptedScenario {
  /** What the model does, over all inputs. */
  readonly turns: readonly Turn[];
  /** How many messages the user sends. */
  readonly inputs: number;
  readonly toolConcurrency?: number;
}

/** Runs of different shapes, by name. */
export const SCENARIOS: Readonly<Record<string, ScriptedScenario>> = {
  parallel: { turns: [['a_1', 'b_1', 'c_1'], 'Done.'], inputs: 1 },
  conversation: { turns: [['a_1'], 'One.', 'Two.', ['b_1'], 'Three.'], inputs: 3 },
  'same-ids': { turns: [['a_0'], ['a_0'], 'Done.'], inputs: 1, toolConcurrency: 1 },
};

/** A scripted run on storages of a world, to be crashed. Whoever opens a storage after a crash comes when the dead one's lease is over. */
export function scenarioOn(
  world: World,
  { turns, inputs, toolConcurrency }: ScriptedScenario,
): CrashScenario {
  return {
    sessionId: ID,
    turns: Array.from({ length: inputs }, (_, index) => ({ input: `message ${index + 1}` })),
    openStorage: async () => {
      const storage = await world.storage();
      return {
        openStore: async () => {
          await world.advance(TTL + world.claims.graceMs);
          return storage.open();
        },
        dispose: async () => {},
      };
    },
    createAgent: (crashes, store) =>
      workbench(world, store as Client, {
        turns,
        ...(toolConcurrency !== undefined && { toolConcurrency }),
        wrap: (given) => ({
          store: given.store,
          provider: crashes.provider(given.provider),
          tools: crashes.tools(given.tools),
        }),
      }).agent,
  };
}
