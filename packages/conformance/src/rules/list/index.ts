export { listIds } from './ids.js';
export { listAll } from './list.js';
export { listMany } from './many.js';
export { listPending } from './pending.js';
