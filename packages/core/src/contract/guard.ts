import type { Checkpoint } from './checkpoint.js';
import {
  assertCheckpoint,
  assertCheckpointStore,
  assertPage,
  assertSaveOptions,
} from './checkpoint-checks.js';
import { encodeWrite } from './checkpoint-record.js';
import type { CheckpointStore, SaveOptions } from './checkpoint-store.js';
import * as checks from './checks.js';
import { CheckpointCorruptError } from './errors.js';
import { assertFormat } from './format.js';
import { Gate } from './gate.js';
import { isGuarded, markGuarded } from './guarded.js';
import { assertStoreKey } from './ids.js';

/**
 * Any checkpoint store behind the checks that the bundled ones have: ids, arguments and values are refused before the store is
 * asked, what it throws gets a code, what it loads is a checkpoint. Only the methods that it has are there. A store that is
 * guarded already is returned as it is; the same store always gets the same guard.
 */
export function guardCheckpointStore(store: CheckpointStore): CheckpointStore {
  assertCheckpointStore(store);
  if (isGuarded(store)) return store;
  const known = guards.get(store);
  if (known) return known;
  const guard = markGuarded(build(store, new Gate({ name: store.constructor?.name || 'checkpoint store' })));
  guards.set(store, guard);
  return guard;
}

const guards = new WeakMap<CheckpointStore, CheckpointStore>();

function build(store: CheckpointStore, gate: Gate): CheckpointStore {
  return {
    ...(store.capabilities && { capabilities: store.capabilities }),
    save: async (sessionId, checkpoint, options) => {
      assertSavable(sessionId, checkpoint, options);
      await gate.run('save', () => store.save(sessionId, checkpoint, options));
    },
    load: async (sessionId) => {
      assertStoreKey(sessionId);
      return readable(sessionId, await gate.run('load', () => store.load(sessionId)));
    },
    delete: async (sessionId, options) => {
      assertStoreKey(sessionId);
      await gate.run('delete', () => store.delete(sessionId, options));
    },
    ...listings(store, gate),
    ...leases(store, gate),
  };
}

function listings(store: CheckpointStore, gate: Gate): Partial<CheckpointStore> {
  const { ids, list, listPending, history } = store;
  return {
    ...(list && {
      list: async (filter) => {
        assertPage(filter);
        return gate.run('list', () => list.call(store, filter));
      },
    }),
    ...(listPending && {
      listPending: async (page) => {
        assertPage(page);
        return gate.run('listPending', () => listPending.call(store, page));
      },
    }),
    ...(ids && { ids: () => gate.run('ids', () => ids.call(store)) }),
    ...(history && {
      history: async (sessionId, options) => {
        assertStoreKey(sessionId);
        if (options?.limit !== undefined) checks.wholeNumber('limit', options.limit);
        const entries = await gate.run('history', () => history.call(store, sessionId, options));
        for (const { checkpoint } of entries) assertFormat(`checkpoint ${sessionId}`, checkpoint);
        return entries;
      },
    }),
  };
}

function leases(store: CheckpointStore, gate: Gate): Partial<CheckpointStore> {
  const { acquireLease, renewLease, renewLeases, releaseLease, saveIfLeased, readLease } = store;
  return {
    ...(acquireLease && {
      acquireLease: async (id, owner, ttlMs) => {
        assertLease(id, owner);
        const ttl = checks.ttl('ttlMs', ttlMs);
        return gate.run('acquireLease', () => acquireLease.call(store, id, owner, ttl));
      },
    }),
    ...(renewLease && {
      renewLease: async (id, owner, ttlMs) => {
        assertLease(id, owner);
        const ttl = checks.ttl('ttlMs', ttlMs);
        return gate.run('renewLease', () => renewLease.call(store, id, owner, ttl));
      },
    }),
    ...(renewLeases && {
      renewLeases: async (refs, ttlMs) => {
        for (const ref of refs) assertLease(ref.sessionId, ref.owner);
        const ttl = checks.ttl('ttlMs', ttlMs);
        return gate.run('renewLeases', () => renewLeases.call(store, refs, ttl));
      },
    }),
    ...(releaseLease && {
      releaseLease: async (id, owner) => {
        assertLease(id, owner);
        await gate.run('releaseLease', () => releaseLease.call(store, id, owner));
      },
    }),
    ...(saveIfLeased && {
      saveIfLeased: async (id, checkpoint, owner, options) => {
        assertSavable(id, checkpoint, options);
        checks.owner(owner);
        return gate.run('saveIfLeased', () => saveIfLeased.call(store, id, checkpoint, owner, options));
      },
    }),
    ...(readLease && {
      readLease: async (id) => {
        assertStoreKey(id);
        return gate.run('readLease', () => readLease.call(store, id));
      },
    }),
  };
}

function assertLease(sessionId: unknown, owner: unknown): void {
  assertStoreKey(sessionId);
  checks.owner(owner);
}

function assertSavable(sessionId: unknown, checkpoint: Checkpoint, options: SaveOptions | undefined): void {
  assertCheckpoint(sessionId, checkpoint);
  // Encoded only for the verdict: what a bundled store refuses, every store refuses.
  encodeWrite(checkpoint, { unchangedMessages: assertSaveOptions(checkpoint, options), savedAt: 0 });
}

function readable(sessionId: string, loaded: Checkpoint | null | undefined): Checkpoint | null {
  if (loaded === null || loaded === undefined) return null;
  if (!Array.isArray(loaded.messages) || typeof loaded.stepIndex !== 'number') {
    throw new CheckpointCorruptError(sessionId, `checkpoint ${sessionId}: the store returned something else`);
  }
  assertFormat(`checkpoint ${sessionId}`, loaded);
  return loaded;
}
