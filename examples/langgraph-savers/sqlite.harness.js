import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SqliteSaver } from '@langchain/langgraph-checkpoint-sqlite';
import { saverStore } from './saver-store.js';
import { versionOf } from './version-of.js';

export default {
  name: 'LangGraph SqliteSaver',
  module: import.meta.url,
  versions: () => versionOf('@langchain/langgraph-checkpoint', '@langchain/langgraph-checkpoint-sqlite'),
  createStorage: async () => {
    const folder = await mkdtemp(join(tmpdir(), 'langgraph-'));
    const path = join(folder, 'checkpoints.db');
    return {
      config: path,
      open: async () => openFromConfig(path),
      dispose: () => rm(folder, { recursive: true, force: true }),
    };
  },
};

export function openFromConfig(path) {
  const saver = SqliteSaver.fromConnString(path);
  return {
    checkpoints: saverStore(saver, { reads: 'latest', reach: 'host', survives: 'process-crash' }),
    close: async () => saver.db.close(),
  };
}
