import type { LogWrite } from '@lousho/core/contract';
import type { Head } from './head-item.js';

interface Known {
  head?: Head;
  writer: string;
  /** The highest number that the writer has tried. */
  tried: number;
}

const MOST_KNOWN = 2_000;

/**
 * What this store object's own saves left behind, so that the next one of the same run need not read it first. Only a guess: the
 * commit is conditional on it.
 */
export class KnownHeads {
  readonly #known = new Map<string, Known>();

  /** The head to begin with; `undefined` where it has to be read, as it always has for an answer other than storing. */
  headFor({ sessionId, owner, revision }: LogWrite): Head | undefined {
    const head = this.#known.get(sessionId)?.head;
    if (!head || owner === undefined || head.lease?.owner !== owner) return undefined;
    const stored = head.state?.revision ?? null;
    return revision !== undefined && stored !== null && revision > stored ? head : undefined;
  }

  remember({ sessionId, owner }: LogWrite, head: Head): void {
    const known = this.#known.get(sessionId);
    if (!known) return;
    if (owner === undefined) delete known.head;
    else known.head = head;
  }

  forget(sessionId: string): void {
    delete this.#known.get(sessionId)?.head;
  }

  /** The name under which a save of that number is written: a name is used for a number once. */
  writerFor(sessionId: string, seq: number): string {
    const known = this.#known.get(sessionId);
    if (known && known.tried < seq) {
      known.tried = seq;
      return known.writer;
    }
    const writer = crypto.randomUUID().slice(24);
    this.#known.delete(sessionId);
    this.#known.set(sessionId, { ...known, writer, tried: seq });
    if (this.#known.size > MOST_KNOWN) {
      const [oldest] = this.#known.keys();
      if (oldest !== undefined) this.#known.delete(oldest);
    }
    return writer;
  }
}
