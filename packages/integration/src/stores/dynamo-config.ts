import type { DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { DYNAMO_CLIENT } from '@lousho/test-backends';

export function dynamoConfig(endpoint: string): DynamoDBClientConfig {
  return { endpoint, ...DYNAMO_CLIENT };
}
