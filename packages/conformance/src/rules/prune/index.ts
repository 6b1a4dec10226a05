export { pruneCheckpoints } from './checkpoints.js';
export { pruneOthers } from './others.js';
