import { assertCheckpoint, assertSaveOptions } from '../../contract/checkpoint-checks.js';
import { corruptCheckpoint } from '../../contract/checkpoint-record.js';
import * as checks from '../../contract/checks.js';
import {
  type Checkpoint,
  CheckpointCorruptError,
  type CheckpointListing,
  type CheckpointStore,
  decode,
  guardCheckpointStore,
  type HistoryEntry,
  type LastError,
  markGuarded,
  type PendingCheckpoint,
  type SaveOptions,
  SDKError,
} from '../../contract/index.js';
import { CallOrder } from './call-order.js';
import { encryptedCapabilities, PlaintextLimit } from './plaintext-limit.js';
import { checkpointText, openCheckpoint, sealCheckpoint } from './sealed-checkpoint.js';
import { messageOf, OpenedTexts, SealedMessages } from './sealed-messages.js';
import type { Sealer } from './sealer.js';

interface Prepared {
  readonly checkpoint: Checkpoint;
  readonly options: SaveOptions;
}

/** The encrypted view of a checkpoint store. It has the methods that the store has. */
export function encryptedCheckpoints(store: CheckpointStore, sealer: Sealer): CheckpointStore {
  const inner = guardCheckpointStore(store);
  return markGuarded(new EncryptedCheckpoints(inner, sealer).view());
}

class EncryptedCheckpoints {
  readonly #inner: CheckpointStore;
  readonly #sealer: Sealer;
  readonly #messages: SealedMessages;
  readonly #order = new CallOrder();
  readonly #limit: PlaintextLimit;

  constructor(inner: CheckpointStore, sealer: Sealer) {
    this.#inner = inner;
    this.#sealer = sealer;
    this.#messages = new SealedMessages(sealer);
    this.#limit = new PlaintextLimit(inner.capabilities);
  }

  view(): CheckpointStore {
    const inner = this.#inner;
    const capabilities = encryptedCapabilities(inner.capabilities);
    return {
      ...(capabilities && { capabilities }),
      save: async (sessionId, checkpoint, options) => {
        // Not vouched for: without a lease another writer may have stored this revision with envelopes of its own.
        const prepared = this.#prepare(sessionId, checkpoint, options, { vouches: false });
        await this.#order.run(sessionId, prepared, (ready) =>
          inner.save(sessionId, ready.checkpoint, ready.options),
        );
      },
      load: async (sessionId) => {
        const loaded = await inner.load(sessionId);
        return loaded && this.#open(sessionId, loaded);
      },
      delete: (sessionId, options) =>
        this.#order.run(sessionId, undefined, () => inner.delete(sessionId, options)),
      ...this.#listings(),
      ...this.#leases(),
    };
  }

  #listings(): Partial<CheckpointStore> {
    const inner = this.#inner;
    const { ids, list, listPending, history } = inner;
    return {
      ...(ids && { ids: ids.bind(inner) }),
      ...(list && {
        list: async (filter) =>
          Promise.all((await list.call(inner, filter)).map((entry) => this.#listed(entry))),
      }),
      ...(listPending && {
        listPending: async (page) =>
          Promise.all((await listPending.call(inner, page)).map((entry) => this.#pending(entry))),
      }),
      ...(history && {
        history: async (sessionId, options) => {
          const texts = new OpenedTexts(this.#sealer, sessionId);
          const entries = await history.call(inner, sessionId, options);
          return Promise.all(entries.map((entry) => this.#entry(sessionId, entry, texts)));
        },
      }),
    };
  }

  #leases(): Partial<CheckpointStore> {
    const inner = this.#inner;
    const { acquireLease, renewLease, renewLeases, releaseLease, saveIfLeased, readLease } = inner;
    return {
      ...(acquireLease && { acquireLease: acquireLease.bind(inner) }),
      ...(renewLease && { renewLease: renewLease.bind(inner) }),
      ...(renewLeases && { renewLeases: renewLeases.bind(inner) }),
      ...(readLease && { readLease: readLease.bind(inner) }),
      ...(releaseLease && {
        releaseLease: (sessionId, owner) =>
          this.#order.run(sessionId, undefined, () => releaseLease.call(inner, sessionId, owner)),
      }),
      ...(saveIfLeased && {
        saveIfLeased: async (sessionId, checkpoint, owner, options) => {
          checks.owner(owner);
          const prepared = this.#prepare(sessionId, checkpoint, options, { vouches: true });
          return this.#order.run(sessionId, prepared, (ready) =>
            saveIfLeased.call(inner, sessionId, ready.checkpoint, owner, ready.options),
          );
        },
      }),
    };
  }

  /** Reads the whole checkpoint before it returns: the caller's object may change while it is sealed. */
  #prepare(
    sessionId: string,
    checkpoint: Checkpoint,
    options: SaveOptions | undefined,
    { vouches }: { readonly vouches: boolean },
  ): Promise<Prepared> {
    assertCheckpoint(sessionId, checkpoint);
    const unchanged = assertSaveOptions(checkpoint, options);
    const text = checkpointText(checkpoint);
    const sealing = this.#messages.seal(checkpoint, unchanged);
    this.#limit.assert(sessionId, [text.text, ...sealing.texts]);
    return sealing.envelopes.then(async (envelopes) => ({
      checkpoint: await sealCheckpoint(this.#sealer, text, envelopes),
      options: vouches ? { unchangedMessages: sealing.knownPrefix } : {},
    }));
  }

  #open(sessionId: string, loaded: Checkpoint): Promise<Checkpoint> {
    return openCheckpoint(this.#sealer, sessionId, loaded, (envelopes) =>
      this.#messages.open({ ...loaded, sessionId }, envelopes),
    );
  }

  async #entry(sessionId: string, entry: HistoryEntry, texts: OpenedTexts): Promise<HistoryEntry> {
    const checkpoint = await openCheckpoint(this.#sealer, sessionId, entry.checkpoint, async (envelopes) =>
      (await texts.of(envelopes)).map((text) => messageOf(sessionId, text)),
    );
    return { ...entry, checkpoint };
  }

  /** One that cannot be opened is listed as one that cannot be read, with the reason. */
  async #listed({ sessionId, checkpoint: inner, ...rest }: CheckpointListing): Promise<CheckpointListing> {
    try {
      if (saysUnreadable(inner.lastError)) {
        throw new CheckpointCorruptError(sessionId, `checkpoint ${sessionId}: its record is not readable`);
      }
      return { ...rest, sessionId, checkpoint: await this.#open(sessionId, inner) };
    } catch (error) {
      if (!(error instanceof SDKError)) throw error;
      const { lastError, ...shown } = corruptCheckpoint(sessionId, error, Date.now());
      const reason = { ...(lastError as LastError), code: error.code };
      return { sessionId, status: 'in-progress', checkpoint: { ...shown, lastError: reason } };
    }
  }

  async #pending({ lastError, ...entry }: PendingCheckpoint): Promise<PendingCheckpoint> {
    if (!lastError) return entry;
    return { ...entry, lastError: await this.#lastError(entry.sessionId, lastError) };
  }

  async #lastError(sessionId: string, shown: LastError): Promise<LastError> {
    if (saysUnreadable(shown)) return shown;
    try {
      return decode(await this.#sealer.open({ kind: 'error', id: sessionId }, shown.message)) as LastError;
    } catch (error) {
      if (!(error instanceof SDKError)) throw error;
      return { message: error.message, code: error.code, retryable: false, at: shown.at };
    }
  }
}

/** The inner store's own word about a record that it cannot read: no content, and so not sealed. */
function saysUnreadable(error: LastError | undefined): boolean {
  return error?.code === 'LOUSHO_CHECKPOINT_CORRUPT' || error?.code === 'LOUSHO_STORAGE_INCOMPATIBLE';
}
