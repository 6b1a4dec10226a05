export { historyAtOnce } from './at-once.js';
export { historyEntries } from './entries.js';
export { historyKeeping } from './keeping.js';
