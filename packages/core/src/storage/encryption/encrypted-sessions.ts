import * as checks from '../../contract/checks.js';
import { expectedKind } from '../../contract/errors.js';
import { assertFormat } from '../../contract/format.js';
import {
  assertStoreKey,
  decode,
  encode,
  type Message,
  type SessionRecord,
  type SessionStore,
} from '../../contract/index.js';
import { CallOrder } from './call-order.js';
import { tampered } from './envelope.js';
import type { Sealer } from './sealer.js';

/** A transcript is one text to the stores that keep it, and so is sealed as one. */
export class EncryptedSessions implements SessionStore {
  declare readonly ids?: NonNullable<SessionStore['ids']>;
  readonly #order = new CallOrder();

  constructor(
    readonly inner: SessionStore,
    readonly sealer: Sealer,
  ) {
    if (inner.ids) this.ids = inner.ids.bind(inner);
  }

  async load(id: string): Promise<SessionRecord | null> {
    const loaded = await this.inner.load(id);
    if (!loaded) return null;
    const [first, ...more] = loaded.messages as readonly { readonly sealed?: unknown }[];
    const text = await this.sealer.open({ kind: 'session', id }, first?.sealed);
    if (more.length > 0) throw tampered(`session ${id}`);
    return { revision: loaded.revision, messages: messagesOf(id, text) };
  }

  async saveIf(id: string, expectedRevision: number, messages: readonly Message[]): Promise<boolean> {
    assertStoreKey(id);
    checks.wholeNumber('expectedRevision', expectedRevision);
    if (!Array.isArray(messages)) throw expectedKind('messages', 'an array', messages);
    const sealed = this.sealer.seal({ kind: 'session', id }, encode(messages, 'messages'));
    return this.#order.run(id, sealed, (envelope) =>
      this.inner.saveIf(id, expectedRevision, [{ sealed: envelope } as unknown as Message]),
    );
  }

  delete(id: string): Promise<void> {
    return this.#order.run(id, undefined, () => this.inner.delete(id));
  }
}

/** A list is the first format; a later one will say which it is. */
function messagesOf(id: string, text: string): readonly Message[] {
  const messages = decode(text);
  if (!Array.isArray(messages)) assertFormat(`session ${id}`, messages);
  return messages as Message[];
}
