import type { FaultCell } from '../cell.js';
import { creationFlow } from '../flows/creation-flow.js';
import { killerFor } from '../kill/best-killer.js';
import { pileUp } from '../kill/leftovers.js';
import type { Inspector } from '../process/start-inspector.js';
import { listWithFewFiles } from '../resources/few-files.js';
import { refuseHostileIds } from '../resources/hostile-ids.js';
import { fillDisk, onSmallDisk, turnReadOnly } from '../resources/small-disk.js';
import { needFaketime, needMounts, needNamespaces, needStrace } from './tools-needed.js';

const ON_DISK = { survives: ['power-loss', 'process-crash'] } as const;
const DISK_BYTES = 2 * 1024 * 1024;

export const resourceCells: readonly FaultCell[] = [
  {
    id: 'full-disk:A41',
    says: 'on a disk that is full a save is refused as such, changes nothing and leaves nothing; with room again it succeeds',
    needs: { ...ON_DISK, methods: ['checkpoints.history', 'checkpoints.list'] },
    run: async ({ harness, work }) => {
      needMounts();
      return { trials: 1, inconsistent: await onSmallDisk(harness, { work, bytes: DISK_BYTES }, fillDisk) };
    },
  },
  {
    id: 'read-only-disk',
    says: 'on a disk that turned read-only a save is refused as such, and nothing is lost',
    needs: ON_DISK,
    run: async ({ harness, work }) => {
      needMounts();
      return {
        trials: 1,
        inconsistent: await onSmallDisk(harness, { work, bytes: DISK_BYTES }, turnReadOnly),
      };
    },
  },
  {
    id: 'leftovers:A48',
    says: 'what dying processes leave is never listed, stands in nobody’s way, also not in that of a process with the same id, and a later prune removes it',
    needs: { ...ON_DISK, methods: [...creationFlow.needs, 'prune'] },
    run: async ({ harness, scene, size, killBy, inspectors: [inspector] }) => {
      const library = needFaketime();
      needNamespaces();
      const stage = await scene(creationFlow.name);
      const killer = await killerFor(stage, killBy);
      const kills = size === 'full' ? 200 : 30;
      return pileUp({ scene: stage, harness, killer, kills, library, inspector: inspector as Inspector });
    },
  },
  {
    id: 'hostile-ids:A44',
    says: 'an id that is a path is refused by every method, and no system call names it',
    needs: { ...ON_DISK, methods: ['checkpoints.saveIfLeased', 'approvals.decide', 'sessions.saveIf'] },
    run: async ({ harness, work }) => {
      needStrace();
      return { trials: 1, inconsistent: await refuseHostileIds(harness, work) };
    },
  },
  {
    id: 'few-files:A43',
    says: 'a process that may open 64 files lists every id',
    needs: { ...ON_DISK, methods: ['checkpoints.list', 'checkpoints.listPending'] },
    run: async ({ harness, size }) => {
      const ids = size === 'full' ? 20_000 : 400;
      return { trials: ids, inconsistent: await listWithFewFiles(harness, ids) };
    },
  },
];
