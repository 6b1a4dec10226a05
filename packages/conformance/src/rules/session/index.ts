export { sessionTranscripts } from './transcripts.js';
