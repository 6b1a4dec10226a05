import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { sharedDynamo } from '@lousho/test-backends';

/** One request on its way: its operation, such as `UpdateItem`, and its input. */
export interface Request {
  readonly operation: string;
  readonly input: Record<string, unknown>;
}

/** What happens to a request: `next` sends it; an answer or an error may be made up instead. */
export type Fault = (request: Request, next: (input?: unknown) => Promise<unknown>) => Promise<unknown>;

const server = await sharedDynamo();

/** A client of the tests' own server whose requests go through a fault that a test can set; all are counted. */
export class FaultyClient {
  readonly client: DynamoDBClient;
  readonly requests: Request[] = [];
  fault: Fault = (_request, next) => next();

  constructor() {
    const { endpoint, region, credentials } = server;
    this.client = new DynamoDBClient({ endpoint, region, credentials, maxAttempts: 1 });
    this.client.middlewareStack.add(
      (next, context) => async (args) => {
        const operation = String(context.commandName).replace(/Command$/, '');
        const request = { operation, input: args.input as Record<string, unknown> };
        this.requests.push(request);
        const send = async (input: unknown = args.input) =>
          (await next({ ...args, input: input as object })).output;
        return { output: (await this.fault(request, send)) as never, response: {} };
      },
      { step: 'initialize', name: 'faults' },
    );
  }

  count(operation: string): number {
    return this.requests.filter((request) => request.operation === operation).length;
  }

  reset(): void {
    this.requests.length = 0;
    this.fault = (_request, next) => next();
  }
}

export function freeTable(): string {
  return server.freeName();
}

export const ENDPOINT = server;

/** An error as the service reports it. */
export function serviceError(name: string, extra: object = {}): Error {
  return Object.assign(new Error(name), { name, $metadata: { httpStatusCode: 400 }, ...extra });
}
