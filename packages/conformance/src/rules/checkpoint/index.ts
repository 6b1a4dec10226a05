export { checkpointClients } from './clients.js';
export { checkpointProcesses } from './processes.js';
export { checkpointSaves } from './saves.js';
export { checkpointTranscript } from './transcript.js';
