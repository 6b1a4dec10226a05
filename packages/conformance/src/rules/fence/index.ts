export { fenceHolder } from './holder.js';
export { fenceInFlight } from './in-flight.js';
export { fenceInterleavings } from './interleavings.js';
export { fenceRaces } from './races.js';
export { fenceRepetitions } from './repetitions.js';
