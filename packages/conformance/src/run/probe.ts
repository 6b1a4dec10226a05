import { type Claims, claimsOf } from '../model/claims.js';
import type { ConformanceHarness } from '../model/harness.js';
import type { Method, Seam } from '../model/needs.js';
import { clientOf, methodsOf } from '../world/client.js';
import { worldClock } from '../world/world-clock.js';

/** What a store has and claims, and what its harness offers: read once, before any rule. */
export interface Probe {
  readonly claims: Claims;
  readonly methods: ReadonlySet<Method>;
  readonly seams: ReadonlySet<Seam>;
}

/** Rejects when the harness cannot give a storage and a client. */
export async function probe(harness: ConformanceHarness): Promise<Probe> {
  const storage = await harness.createStorage({ clock: worldClock() });
  try {
    const client = clientOf(await storage.open());
    const seams: Seam[] = [...(harness.seams ?? [])];
    if (storage.advance && !seams.includes('clock')) seams.push('clock');
    if (storage.damage) seams.push('damage');
    if (harness.module !== undefined && storage.config !== undefined) seams.push('processes');
    const methods = methodsOf(client);
    const claims = claimsOf(client.checkpoints?.capabilities);
    await client.close?.();
    return { claims, methods, seams: new Set(seams) };
  } finally {
    await storage.dispose();
  }
}
