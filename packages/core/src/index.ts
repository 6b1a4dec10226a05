export * from './agent/index.js';
export * from './contract/index.js';
export * from './executor/index.js';
export * from './ports/index.js';
export * from './storage/index.js';
