export { sessionIds } from './ids.js';
export { sessionTranscripts } from './transcripts.js';
