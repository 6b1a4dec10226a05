export type { CopyOptions, CopyOutcome, CopyReport } from './copy/copy-options.js';
export { copyStore } from './copy/copy-store.js';
export { encrypted } from './encryption/encrypted.js';
export type { EncryptionKeys } from './encryption/key-ring.js';
