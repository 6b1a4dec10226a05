export { leaseClocks } from './clocks.js';
export { leaseExpiry } from './expiry.js';
export { leaseGrant } from './grant.js';
export { leaseHolder } from './holder.js';
export { leaseProcesses } from './processes.js';
export { leaseRaces } from './races.js';
export { leaseRenewal } from './renewal.js';
