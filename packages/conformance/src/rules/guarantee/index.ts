export { guaranteeConsumeOnce } from './consume-once.js';
export { guaranteeFork } from './fork.js';
export { guaranteeLoneHolder } from './lone-holder.js';
export { guaranteePrefix } from './prefix.js';
export { guaranteeRecovery } from './recovery.js';
export { guaranteeValidity } from './validity.js';
