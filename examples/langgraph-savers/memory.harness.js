import { MemorySaver } from '@langchain/langgraph-checkpoint';
import { saverStore } from './saver-store.js';
import { versionOf } from './version-of.js';

export default {
  name: 'LangGraph MemorySaver',
  versions: () => versionOf('@langchain/langgraph-checkpoint'),
  createStorage: async () => {
    const saver = new MemorySaver();
    const checkpoints = saverStore(saver, { reads: 'latest', reach: 'process' });
    return { open: async () => ({ checkpoints }), dispose: async () => {} };
  },
};
