export { encrypted } from './encryption/encrypted.js';
export type { EncryptionKeys } from './encryption/key-ring.js';
