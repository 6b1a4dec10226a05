import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type AgentStore, SDKError } from '@lousho/core/contract';
import { same } from '../../check/same.js';
import type { ConformanceHarness, HarnessModule } from '../../model/harness.js';
import { NotRun } from '../../model/violation.js';
import { ID, user } from '../../world/builders.js';
import { type Client, clientOf } from '../../world/client.js';
import { worldClock } from '../../world/world-clock.js';
import { nextCheckpoint } from '../flows/steps.js';
import { copyTo, filesUnder, placeOf } from '../storage/place.js';
import { describeState, observe } from '../storage/storage-state.js';
import { run, works } from '../tools/command.js';

/** Whether a disk of one's own can be mounted here. */
export function canMount(): boolean {
  return process.platform === 'linux' && works(['unshare', '--mount', 'true']);
}

/** A storage on a disk of its own of so many bytes, with room that can be given back. */
export async function onSmallDisk(
  harness: ConformanceHarness,
  { work, bytes }: { readonly work: string; readonly bytes: number },
  use: (disk: SmallDisk) => Promise<readonly string[]>,
): Promise<readonly string[]> {
  const { module } = harness;
  if (module === undefined) throw new NotRun('the harness names no module');
  const mount = join(work, 'disk');
  mkdirSync(mount, { recursive: true });
  const mounted = await run(['mount', '-t', 'tmpfs', '-o', `size=${bytes}`, 'tmpfs', mount]);
  if (mounted.code !== 0) throw new NotRun(`no disk can be mounted: ${mounted.stderr.trim()}`);
  try {
    const storage = await harness.createStorage({ clock: worldClock() });
    const place = placeOf(storage.config);
    if (!place) throw new NotRun('the storage is in no folder of this machine');
    const folder = join(mount, 'storage');
    const { config } = copyTo(place, folder);
    await storage.dispose();
    const { openFromConfig } = (await import(module)) as HarnessModule;
    return await use({
      mount,
      folder,
      open: async () => (await openFromConfig?.(config)) ?? {},
      remount: async (mode) => void (await run(['mount', '-o', `remount,${mode}`, mount])),
    });
  } finally {
    await run(['umount', mount]);
    rmSync(mount, { recursive: true, force: true });
  }
}

export interface SmallDisk {
  readonly mount: string;
  readonly folder: string;
  open(): Promise<AgentStore>;
  remount(mode: 'ro' | 'rw'): Promise<void>;
}

const MAX_SAVES = 2_000;

/** Saves until the disk is full, gives room back, and saves again (A41). */
export async function fillDisk({ mount, folder, open }: SmallDisk): Promise<readonly string[]> {
  const ballast = join(mount, 'ballast');
  writeFileSync(ballast, Buffer.alloc(400_000));
  const store = await open();
  const client = clientOf(store);
  try {
    const refusal = await saveUntilRefused(client, folder);
    if (refusal === undefined) return [`${MAX_SAVES} saves fitted on the disk`];
    const { code, before, files, checkpoint } = refusal;
    const wrong: string[] = [];
    if (code !== 'LOUSHO_STORAGE_FULL') wrong.push(`a full disk was reported as ${code}`);
    const after = await observe(client, IDS);
    if (!same(after, before))
      wrong.push(`the refused save left ${describeState(after)} of ${describeState(before)}`);
    const more = filesUnder(folder).length - files;
    if (more > 0) wrong.push(`the refused save left ${more} files behind`);
    rmSync(ballast);
    await client.checkpoints.save(ID, checkpoint);
    if (!same(await client.checkpoints.load(ID), checkpoint))
      wrong.push('with room again, the save is not what was loaded');
    return wrong;
  } finally {
    await store.close?.();
  }
}

/** A disk that turns read-only: refusals have a code, also those of opening, and nothing is lost (A41, EROFS). */
export async function turnReadOnly({ open, remount }: SmallDisk): Promise<readonly string[]> {
  const first = nextCheckpoint(null, ID, 'worker-a');
  await using(await open(), (client) => client.checkpoints.save(ID, first));
  await remount('ro');
  const wrong: string[] = [];
  const refusal = await codeOf(async () => {
    await using(await open(), (client) => client.checkpoints.save(ID, nextCheckpoint(first, ID, 'worker-a')));
  });
  if (refusal !== 'LOUSHO_STORAGE_READ_ONLY') wrong.push(`a read-only disk was reported as ${refusal}`);
  await remount('rw');
  await using(await open(), async (client) => {
    if (!same(await client.checkpoints.load(ID), first))
      wrong.push('what was saved before is not there any more');
    await client.checkpoints.save(ID, nextCheckpoint(first, ID, 'worker-a'));
  });
  return wrong;
}

const IDS = { checkpoints: [ID], approvals: [], sessions: [] };

async function saveUntilRefused(client: Client, folder: string) {
  for (let saves = 0; saves < MAX_SAVES; saves++) {
    const before = await observe(client, IDS);
    const files = filesUnder(folder).length;
    const last = before.checkpoints[ID] ?? null;
    const next = {
      ...nextCheckpoint(last, ID, 'worker-a', { adds: 0 }),
      messages: [user(String(saves).padEnd(20_000, '.'))],
    };
    const code = await codeOf(() => client.checkpoints.save(ID, next));
    if (code !== undefined) return { code, before, files, checkpoint: next };
  }
  return undefined;
}

async function using(store: AgentStore, work: (client: Client) => Promise<void>): Promise<void> {
  try {
    await work(clientOf(store));
  } finally {
    await store.close?.();
  }
}

async function codeOf(call: () => Promise<unknown>): Promise<string | undefined> {
  try {
    await call();
    return undefined;
  } catch (error) {
    return error instanceof SDKError ? error.code : `no code: ${String(error)}`;
  }
}
