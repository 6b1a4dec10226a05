export type { DynamoDBStoreOptions } from './dynamodb-options.js';
export { DynamoDBStore } from './dynamodb-store.js';
