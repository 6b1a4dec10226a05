import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type HostClock, hostClockOver } from '@lousho/core/node';
import { fileStore } from '@lousho/store-file';
import { SqliteStore } from '@lousho/store-sqlite';
import { type Elsewhere, startElsewhere } from './start-elsewhere.js';
import type { FullStore, OpenOptions, StoreKind } from './store-kind.js';
import { testClock } from './test-clock.js';

interface DiskOptions extends OpenOptions {
  readonly clock: HostClock;
}

export const fileKind = diskKind('file', (dir, options) => fileStore(dir, options) as FullStore, damageLogs);

export const sqliteKind = diskKind(
  'sqlite',
  (dir, options) => new SqliteStore(join(dir, 'runs.db'), options) as FullStore,
);

function diskKind(
  name: string,
  make: (dir: string, options: DiskOptions) => FullStore,
  damage?: (dir: string, sessionId: string) => void,
): StoreKind<FullStore> {
  return {
    name,
    storage() {
      const clock = testClock();
      const dir = mkdtempSync(join(tmpdir(), `lousho-${name}-`));
      const clients: FullStore[] = [];
      const processes: Elsewhere[] = [];
      return {
        clock,
        open: (options) => {
          const client = make(dir, { clock: hostClockOver(clock), ...options });
          clients.push(client);
          return client;
        },
        elsewhere: async () => {
          const client = await startElsewhere(name, dir);
          processes.push(client);
          return client;
        },
        ...(damage && { damage: (sessionId) => damage(dir, sessionId) }),
        end: async () => {
          await Promise.all(processes.map((client) => client.kill()));
          await Promise.all(clients.map((client) => client.close()));
          rmSync(dir, { recursive: true, force: true });
        },
      };
    },
  };
}

/** Overwrites a few bytes in the middle of each log of the id. */
function damageLogs(dir: string, sessionId: string): void {
  const folder = join(dir, 'checkpoints', sessionId);
  for (const name of readdirSync(folder).filter((file) => file.endsWith('.log'))) {
    const path = join(folder, name);
    const bytes = readFileSync(path);
    bytes.fill('?', bytes.length / 2, bytes.length / 2 + 8);
    writeFileSync(path, bytes);
  }
}
