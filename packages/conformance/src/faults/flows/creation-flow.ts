import type { Flow, FlowActor } from './flow.js';
import { saveOn, take } from './steps.js';

/** Every process makes an id of its own, so that what the dying ones leave could pile up. */
export const creationFlow: Flow = {
  name: 'creation',
  says: 'the first save of an id (A48)',
  needs: ['checkpoints.acquireLease', 'checkpoints.saveIfLeased', 'checkpoints.history', 'checkpoints.list'],
  run: (actor) => create(actor, idBy(actor.owner)),
};

export function idBy(owner: string): string {
  return `made-by-${owner}`;
}

export async function create(actor: FlowActor, id: string): Promise<void> {
  await take(actor, id);
  await saveOn(actor, id, 1);
  await actor.checkpoints.releaseLease(id, actor.owner);
}
