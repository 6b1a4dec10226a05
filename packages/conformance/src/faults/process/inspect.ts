import { type AgentStore, SDKError } from '@lousho/core/contract';
import type { HarnessModule } from '../../model/harness.js';
import { clientOf } from '../../world/client.js';
import { BYSTANDER, LONG_TTL } from '../flows/flow.js';
import { flowActor } from '../flows/flow-actor.js';
import { flowNamed } from '../flows/index.js';
import { idsOf } from '../storage/ids.js';
import type { JournalEntry } from '../storage/journal.js';
import { type Ids, observe, type StorageState } from '../storage/storage-state.js';
import { tellingStore } from '../storage/telling-store.js';
import { type Inspection, type InspectRequest, isRefused, type Refused } from './inspection.js';

const modules = new Map<string, Promise<HarnessModule>>();

/** Opens, looks, asks for the leases, goes on with the flow and looks again. Never rejects for what the storage does. */
export async function inspect(request: InspectRequest): Promise<Inspection> {
  const { module, config, ids, goesOn } = request;
  const loaded = modules.get(module) ?? (import(module) as Promise<HarnessModule>);
  modules.set(module, loaded);
  const { openFromConfig } = await loaded;
  let store: AgentStore;
  try {
    store = (await openFromConfig?.(config)) ?? {};
  } catch (error) {
    return { found: refusal(error), journal: [] };
  }
  const found = await look(store, ids);
  const journal: JournalEntry[] = [];
  try {
    const leases = await askForLeases(store, request);
    if (!goesOn || isRefused(found)) return { found, ...leases, journal };
    const tell = (entry: JournalEntry) => void journal.push(structuredClone(entry));
    const flow = flowNamed(request.flow);
    await flow.run(flowActor({ store: tellingStore(store, tell), owner: request.owner, tell }));
    return { found, ...leases, journal, after: await look(store, idsOf(found, journal)) };
  } catch (error) {
    return {
      found,
      journal,
      failure: error instanceof Error ? (error.stack ?? error.message) : String(error),
    };
  } finally {
    await store.close?.();
  }
}

async function look(store: AgentStore, ids: Ids): Promise<StorageState | Refused> {
  try {
    return await observe(clientOf(store), ids);
  } catch (error) {
    return refusal(error);
  }
}

async function askForLeases(
  store: AgentStore,
  { flow, owner, ids }: InspectRequest,
): Promise<Pick<Inspection, 'lease' | 'tookBystander'>> {
  const { checkpoints } = clientOf(store);
  const id = flowNamed(flow).leases;
  if (!checkpoints.acquireLease) return {};
  const tookBystander =
    ids.checkpoints.includes(BYSTANDER) &&
    (await checkpoints.acquireLease(BYSTANDER, `${owner}-thief`, LONG_TTL)) !== false;
  if (id === undefined) return { tookBystander };
  const answer = await checkpoints.acquireLease(id, owner, LONG_TTL);
  const epoch = typeof answer === 'object' ? answer.epoch : undefined;
  return { tookBystander, lease: { granted: answer !== false, ...(epoch !== undefined && { epoch }) } };
}

function refusal(error: unknown): Refused {
  const code = error instanceof SDKError ? error.code : undefined;
  return { ...(code && { code }), message: String(error) };
}
