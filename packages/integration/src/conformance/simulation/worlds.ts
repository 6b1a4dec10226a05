import { pointedStore, referenceWorld, type SimulatedWorld } from '@lousho/conformance/simulation';
import { hostClockOver } from '@lousho/core/node';
import { fileStore } from '@lousho/store-file';
import { memoryStore } from '@lousho/store-memory';
import { diskFs } from './disk-fs.js';
import { MemoryDisk } from './memory-disk.js';

const memoryWorld: SimulatedWorld = {
  name: 'memory',
  graceMs: 0,
  hasOwnClocks: false,
  openStorage: ({ clock, historyLimit }) => {
    const store = memoryStore({ clock, historyLimit });
    return { client: ({ point }) => pointedStore(store, point) };
  },
};

/** Each client is a store object of its own, as in a process of its own, on one disk. */
const fileWorld: SimulatedWorld = {
  name: 'file',
  graceMs: 30_000,
  hasOwnClocks: false,
  openStorage: ({ clock, historyLimit, graceMs }) => {
    const disk = new MemoryDisk();
    const compactAfterBytes = 4_000;
    return {
      client: (seat) =>
        pointedStore(
          fileStore('/simulated', {
            clock: hostClockOver(clock),
            fs: diskFs(disk, seat),
            // Time that passes outside stands still as long as anything moves in here.
            sleep: () => seat.point('sleep'),
            historyLimit,
            graceMs,
            compactAfterBytes,
          }),
          seat.point,
        ),
    };
  },
};

/** What can be simulated, by name. */
export const WORLDS: ReadonlyMap<string, SimulatedWorld> = new Map(
  [referenceWorld(), memoryWorld, fileWorld].map((world) => [world.name, world]),
);
