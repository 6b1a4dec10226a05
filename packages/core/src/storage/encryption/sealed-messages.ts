import { type Checkpoint, decode, encode, type Message } from '../../contract/index.js';
import { tampered } from './envelope.js';
import type { Sealer } from './sealer.js';

/** A message as the inner store keeps it. */
export interface SealedMessage {
  readonly sealed: string;
}

/** The envelope of a message object, and of what text. */
interface Known {
  readonly sessionId: string;
  /** The revision that it was loaded with, or first saved in: no stored save before that has this envelope. */
  readonly since: number;
  readonly text: string;
  readonly envelope: Promise<string>;
}

/** Messages on the way into a store: their text is fixed, their envelopes come. */
export interface SealingMessages {
  readonly envelopes: Promise<readonly string[]>;
  /** So many leading messages have the very envelopes under which the save before this one, if it was stored, has them. */
  readonly knownPrefix: number;
  /** What the caller does not vouch for. */
  readonly texts: readonly string[];
}

/**
 * Seals each message once. The same text has another envelope each time, so that a message that was sealed anew would be a new row
 * to a store that writes what has changed: a message object keeps the envelope that it was loaded with or saved under.
 */
export class SealedMessages {
  readonly #known = new WeakMap<object, Known>();

  constructor(readonly sealer: Sealer) {}

  /** Reads every message that the caller does not vouch for before it returns. */
  seal({ sessionId, revision = 0, messages }: Checkpoint, unchanged: number): SealingMessages {
    let knownPrefix = 0;
    const texts: string[] = [];
    const envelopes = messages.map((message, index) => {
      const known = this.#knownOf(sessionId, message);
      if (known && index < unchanged) {
        if (knownPrefix === index && known.since < revision) knownPrefix++;
        return known.envelope;
      }
      const text = encode(message, `checkpoint.messages[${index}]`);
      if (index >= unchanged) texts.push(text);
      if (known?.text === text) return known.envelope;
      const envelope = this.sealer.seal({ kind: 'message', id: sessionId }, text);
      this.#remember(message, { sessionId, since: revision, text, envelope });
      return envelope;
    });
    return { envelopes: Promise.all(envelopes), knownPrefix, texts };
  }

  /** Opens messages that were loaded to be continued: they keep their envelopes. */
  async open(
    { sessionId, revision = 0 }: Checkpoint,
    envelopes: readonly string[],
  ): Promise<readonly Message[]> {
    const texts = await new OpenedTexts(this.sealer, sessionId).of(envelopes);
    return texts.map((text, index) => {
      const message = messageOf(sessionId, text);
      const envelope = Promise.resolve(envelopes[index] as string);
      this.#remember(message, { sessionId, since: revision, text, envelope });
      return message;
    });
  }

  #knownOf(sessionId: string, message: unknown): Known | undefined {
    const known = typeof message === 'object' && message !== null ? this.#known.get(message) : undefined;
    return known?.sessionId === sessionId ? known : undefined;
  }

  #remember(message: unknown, known: Known): void {
    if (typeof message !== 'object' || message === null) return;
    this.#known.set(message, known);
    known.envelope.catch(() => this.#known.delete(message));
  }
}

/** The texts of an id's envelopes, each opened once: the entries of a history share most of them. */
export class OpenedTexts {
  readonly #texts = new Map<string, Promise<string>>();

  constructor(
    readonly sealer: Sealer,
    readonly sessionId: string,
  ) {}

  of(envelopes: readonly string[]): Promise<readonly string[]> {
    return Promise.all(envelopes.map((envelope) => this.#open(envelope)));
  }

  #open(envelope: string): Promise<string> {
    const known = this.#texts.get(envelope);
    if (known) return known;
    const text = this.sealer.open({ kind: 'message', id: this.sessionId }, envelope);
    this.#texts.set(envelope, text);
    return text;
  }
}

export function messageOf(sessionId: string, text: string): Message {
  try {
    return decode(text) as Message;
  } catch (cause) {
    throw tampered(`checkpoint ${sessionId}`, cause);
  }
}
