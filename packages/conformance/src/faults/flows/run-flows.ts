import type { Method } from '../../model/needs.js';
import { BYSTANDER, type Flow, type FlowActor, RUN_ID } from './flow.js';
import { nextCheckpoint, replacingCheckpoint, saveOn, take } from './steps.js';

const FENCED: readonly Method[] = [
  'checkpoints.history',
  'checkpoints.list',
  'checkpoints.acquireLease',
  'checkpoints.releaseLease',
  'checkpoints.saveIfLeased',
];

/** As many as the history keeps. */
const RING = 50;

export const firstRun: Flow = {
  name: 'F1',
  says: 'the first run in an empty storage: acquire, three saves, release',
  needs: FENCED,
  leases: RUN_ID,
  run: async (actor) => {
    await take(actor, RUN_ID);
    await saveOn(actor, RUN_ID, 3, { bytes: 3_000 });
    await actor.checkpoints.releaseLease(RUN_ID, actor.owner);
  },
};

export const takeOver: Flow = {
  name: 'F2',
  says: 'the take-over of a run whose process has died, then two saves',
  needs: FENCED,
  leases: RUN_ID,
  prepare: async (actor) => {
    await bystander(actor);
    await take(actor, RUN_ID);
    await saveOn(actor, RUN_ID, 2);
  },
  run: async (actor) => {
    await take(actor, RUN_ID);
    await saveOn(actor, RUN_ID, 2);
  },
};

export const fullRing: Flow = {
  name: 'F3',
  says: 'saves that drop the oldest of a full history, transcripts replaced and grown',
  needs: FENCED,
  leases: RUN_ID,
  prepare: async (actor) => {
    await bystander(actor);
    await take(actor, RUN_ID);
    await saveOn(actor, RUN_ID, RING);
    await actor.checkpoints.releaseLease(RUN_ID, actor.owner);
  },
  run: async (actor) => {
    const { checkpoints, owner } = actor;
    await take(actor, RUN_ID);
    await saveOn(actor, RUN_ID, 1);
    const last = await checkpoints.load(RUN_ID);
    const replaced = replacingCheckpoint(last, RUN_ID, owner, 9_000);
    if (!(await checkpoints.saveIfLeased(RUN_ID, replaced, owner))) throw new Error('the save was refused');
    await saveOn(actor, RUN_ID, 1);
  },
};

const KEPT = 'refund-43';

export const deletes: Flow = {
  name: 'F4',
  says: 'a delete, one that keeps the history, and new saves of both ids',
  needs: ['checkpoints.history', 'checkpoints.list'],
  prepare: async (actor) => {
    await bystander(actor);
    // More than a store keeps as it is once it is deleted.
    for (const id of [RUN_ID, KEPT]) {
      for (let save = 0; save < 6; save++) {
        const last = await actor.checkpoints.load(id);
        await actor.checkpoints.save(id, replacingCheckpoint(last, id, actor.owner, 30_000));
      }
    }
  },
  run: async ({ checkpoints, owner }) => {
    await checkpoints.delete(RUN_ID);
    await checkpoints.delete(KEPT, { keepHistory: true });
    for (const id of [RUN_ID, KEPT]) await checkpoints.save(id, nextCheckpoint(null, id, owner));
    const kept = nextCheckpoint(await checkpoints.load(KEPT), KEPT, owner);
    await checkpoints.save(KEPT, kept);
  },
};

/** A run of somebody else's. */
export async function bystander({ checkpoints, owner }: FlowActor): Promise<void> {
  for (let save = 0; save < 2; save++) {
    const last = await checkpoints.load(BYSTANDER);
    await checkpoints.save(BYSTANDER, nextCheckpoint(last, BYSTANDER, owner));
  }
}
