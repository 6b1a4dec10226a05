import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Charge {
  readonly order: string;
  readonly by: string;
}

/** A bank and a carrier: what they have done is done, whatever becomes of the process that asked. */
export interface World {
  readonly url: string;
  readonly charges: readonly Charge[];
  /** By order, the keys under which a parcel was asked for. */
  readonly parcels: ReadonlyMap<string, ReadonlySet<string>>;
  /** Resolves when the bank has made so many charges whose answer it holds back. */
  holds(count: number): Promise<void>;
  close(): void;
}

/** The bank charges, but never answers the replica `silentTo`: that one is in the middle of its tool for as long as it lives. */
export async function startWorld({ silentTo }: { readonly silentTo: string }): Promise<World> {
  const charges: Charge[] = [];
  const parcels = new Map<string, Set<string>>();
  let held = 0;
  const waiting: { count: number; tell(): void }[] = [];

  function charge(order: string, by: string, response: ServerResponse): void {
    charges.push({ order, by });
    if (by !== silentTo) {
      give(response, `charge-${order}`);
      return;
    }
    held += 1;
    for (const { count, tell } of waiting) if (held >= count) tell();
  }

  function ship(order: string, key: string, response: ServerResponse): void {
    parcels.set(order, new Set(parcels.get(order)).add(key));
    give(response, `parcel-${order}`);
  }

  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://world');
    const [, what, order = ''] = pathname.split('/');
    if (what === 'parcels') ship(order, searchParams.get('key') ?? '', response);
    else if (request.method === 'POST') charge(order, searchParams.get('by') ?? '', response);
    else if (charges.some((made) => made.order === order)) give(response, `charge-${order}`);
    else response.writeHead(404).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    charges,
    parcels,
    holds: (count) =>
      new Promise((tell) => {
        if (held >= count) tell();
        else waiting.push({ count, tell });
      }),
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

function give(response: ServerResponse, receipt: string): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ receipt }));
}
