import { type Child, startChild } from '../child.js';
import type { ChildIo } from '../child-io.js';
import { INPUT, openStore, type Scene, sceneAgent } from '../scene.js';

/** The tool in which the victims of the crash tests die: the second of three. */
export const DEADLY_TOOL = 'charge';

interface VictimSettings {
  readonly scene: Scene;
  readonly sessionIds: readonly string[];
}

/**
 * Runs sessions until each is inside its second tool, after the effect and before the record, and stays there to be killed.
 * The role of a test that gives it to startVictim().
 */
export async function victim(io: ChildIo): Promise<void> {
  const { scene, sessionIds } = io.settings<VictimSettings>();
  let inTool = 0;
  const agent = sceneAgent({
    scene,
    store: openStore(scene),
    hold: async (tool) => {
      if (tool !== DEADLY_TOOL) return;
      inTool += 1;
      if (inTool === sessionIds.length) io.tell('in-tool');
      await new Promise(() => undefined);
    },
  });
  await Promise.all(sessionIds.map((sessionId) => agent.send(INPUT, { sessionId })));
}

/** A process that stays inside its tools; wait for `in-tool`. */
export function startVictim(scene: Scene, sessionIds: readonly string[]): Child {
  const settings: VictimSettings = { scene, sessionIds };
  return startChild({ test: scene.test, role: 'victim', settings });
}
