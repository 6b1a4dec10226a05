export { runApproving } from './approving.js';
export { runDying } from './dying.js';
export { runEnding } from './ending.js';
export { runProgress } from './progress.js';
export { runTakingOver } from './taking-over.js';
