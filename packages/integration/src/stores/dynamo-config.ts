import type { DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { storePackages } from './store-packages.js';

export function dynamoConfig(endpoint: string): DynamoDBClientConfig {
  return { endpoint, ...storePackages.backends().DYNAMO_CLIENT };
}
