import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';

/** `table runs in eu-west-1 at https://…`, as far as the client's configuration tells. Without its credentials. */
export async function placeOf(client: DynamoDBClient, tableName: string): Promise<string> {
  const { region, endpoint } = (client.config ?? {}) as Partial<DynamoDBClient['config']>;
  const [named, address] = await Promise.all([asked(region), asked(endpoint)]);
  const inRegion = named === undefined ? '' : ` in ${named}`;
  // Absent where the service's own endpoint is used, which the region names.
  const atEndpoint = address === undefined ? '' : ` at ${addressOf(address)}`;
  return `table ${tableName}${inRegion}${atEndpoint}`;
}

/** A setting is found out when it is asked for, and may be missing. */
async function asked<T>(setting: (() => Promise<T>) | undefined): Promise<T | undefined> {
  try {
    return await setting?.();
  } catch {
    return undefined;
  }
}

interface Endpoint {
  readonly protocol: string;
  readonly hostname: string;
  readonly port?: number;
}

function addressOf({ protocol, hostname, port }: Endpoint): string {
  return `${protocol}//${hostname}${port === undefined ? '' : `:${port}`}`;
}
