// Waits for the end of the process that started it, then ends the servers and removes the folders that it left.
import { rmSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { killTree, type ProcessMark } from './process-tree.js';
import { removeSharedMemory } from './shared-memory.js';
import type { Entry } from './undertaker.js';

const servers = new Map<number, ProcessMark>();
const folders = new Set<string>();

for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, () => {});

for await (const line of createInterface({ input: process.stdin })) {
  const entry = JSON.parse(line) as Entry;
  if ('watch' in entry) servers.set(entry.watch.pid, entry.watch);
  if ('forget' in entry) servers.delete(entry.forget);
  if ('keep' in entry) folders.add(entry.keep);
  if ('dropped' in entry) folders.delete(entry.dropped);
}
for (const mark of servers.values()) killTree(mark);
for (const dir of folders) {
  removeSharedMemory(dir);
  rmSync(dir, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
}
