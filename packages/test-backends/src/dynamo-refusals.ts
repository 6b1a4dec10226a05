import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface RefusingDynamo {
  readonly endpoint: string;
  stop(): Promise<void>;
}

/** What AWS answers to a login or a right that it does not accept: the stand-ins check neither. */
export type DynamoRefusal =
  | 'UnrecognizedClientException'
  | 'InvalidSignatureException'
  | 'ExpiredTokenException'
  | 'AccessDeniedException';

const TEXTS: Readonly<Record<DynamoRefusal, string>> = {
  UnrecognizedClientException: 'The security token included in the request is invalid.',
  InvalidSignatureException:
    'The request signature we calculated does not match the signature you provided. Check your AWS Secret Access Key and signing method.',
  ExpiredTokenException: 'The security token included in the request is expired',
  AccessDeniedException:
    'User: arn:aws:iam::123456789012:user/app is not authorized to perform: dynamodb:GetItem on resource: arn:aws:dynamodb:us-east-1:123456789012:table/runs',
};

/** An endpoint that refuses every request as DynamoDB does. */
export async function startRefusingDynamo(refusal: DynamoRefusal): Promise<RefusingDynamo> {
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      response.writeHead(400, { 'content-type': 'application/x-amz-json-1.0' });
      const __type = `com.amazon.coral.service#${refusal}`;
      response.end(JSON.stringify({ __type, message: TEXTS[refusal] }));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
