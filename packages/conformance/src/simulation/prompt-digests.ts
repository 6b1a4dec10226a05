import { createHash } from 'node:crypto';

/**
 * While `work` is going on, digests come with the microtasks. The runtime computes them in other threads and answers when those are
 * done, which no seed decides.
 */
export async function withPromptDigests<T>(work: () => Promise<T>): Promise<T> {
  users += 1;
  if (users === 1) crypto.subtle.digest = promptDigest as unknown as typeof crypto.subtle.digest;
  try {
    return await work();
  } finally {
    users -= 1;
    // The method proper stands on the prototype.
    if (users === 0) Reflect.deleteProperty(crypto.subtle, 'digest');
  }
}

let users = 0;

/** The same few texts come again with every run. */
const known = new Map<string, ArrayBuffer>();
const MAX_KNOWN = 1_000;

async function promptDigest(algorithm: string | { name: string }, data: Uint8Array): Promise<ArrayBuffer> {
  const name = typeof algorithm === 'string' ? algorithm : algorithm.name;
  const key = `${name} ${Buffer.from(data).toString('latin1')}`;
  const digest = known.get(key) ?? digestOf(name, data);
  if (known.size < MAX_KNOWN) known.set(key, digest);
  return digest.slice(0);
}

function digestOf(name: string, data: Uint8Array): ArrayBuffer {
  const bytes = createHash(name.replace('-', '')).update(data).digest();
  return new Uint8Array(bytes).buffer;
}
