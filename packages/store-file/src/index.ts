export { FileStore, type FileStoreOptions, fileStore } from './file-store.js';
export type { LogFs } from './log-fs.js';
