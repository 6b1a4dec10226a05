export { type HostClock, type HostTime, hostClock, hostClockOver } from './host-clock.js';
export { late } from './late.js';
export { isLeaseOver, type LeaseTerm, leaseTerm, takeableAtMs } from './lease-term.js';
export { loadSkills } from './load-skills.js';
export { hasProvablyEnded, type ProcessIdentity, processIdentity } from './process-identity.js';
