import type { SessionRow, SessionTable } from '@lousho/core/contract';
import type { RecordsParts } from './redis-approval-table.js';
import { COMMIT, DELETE_SESSION, PRUNE_SESSION, READ_SESSION } from './session-scripts.js';

export class RedisSessionTable implements SessionTable {
  readonly #parts: RecordsParts;

  constructor(parts: RecordsParts) {
    this.#parts = parts;
  }

  async get(id: string): Promise<SessionRow | null> {
    const { link, opened } = this.#parts;
    await opened();
    const reply = await link.run({ script: READ_SESSION, keys: this.#keys(id), args: [], effect: 'idle' });
    const [revision, messages] = reply as (string | null)[];
    return revision == null ? null : { revision: Number(revision), messages: messages ?? null };
  }

  async putIf(id: string, expected: number, messages: string): Promise<boolean> {
    const { index, nonces, opened, link } = this.#parts;
    await opened();
    const [deadline, nonce] = [link.deadline(), nonces.next()];
    let registration = expected === 0 ? await index.register(id, false, deadline) : '';
    for (;;) {
      const args = [this.#now(), expected, messages, nonce, registration];
      const call = { script: COMMIT, keys: this.#keys(id), args, effect: 'write' } as const;
      const answer = await link.run({ ...call, deadline });
      if (answer !== 'register') return answer === 'saved';
      registration = await index.register(id, false, deadline);
    }
  }

  async ids(): Promise<readonly string[]> {
    const { index, opened } = this.#parts;
    await opened();
    return index.existing(async (id) => ((await this.get(id))?.messages ?? null) !== null);
  }

  async delete(id: string): Promise<void> {
    const { index, link, opened } = this.#parts;
    await opened();
    const registration = await link.run({
      script: DELETE_SESSION,
      keys: this.#keys(id),
      args: [],
      effect: 'write',
    });
    if (registration) index.drop(id, String(registration));
  }

  /** Removes the transcript if its last commit was more than `age` ago and nobody `needs` it. */
  async prune(id: string, age: number, isNeeded: () => Promise<boolean>): Promise<boolean> {
    const { index } = this.#parts;
    const [state, revision] = await this.#pruneScript(id, age, '');
    if (state === 'none') index.sweep([id], 'drop');
    if (state !== 'old' || revision === undefined || (await isNeeded())) return false;
    const [removed, , registration] = await this.#pruneScript(id, age, revision);
    if (removed !== 'old' || registration === undefined) return false;
    index.drop(id, registration);
    return true;
  }

  async #pruneScript(id: string, age: number, revision: string): Promise<[string, string?, string?]> {
    const args = [this.#now(), age, revision];
    const call = { script: PRUNE_SESSION, keys: this.#keys(id), args } as const;
    const reply = await this.#parts.link.run({ ...call, effect: revision === '' ? 'idle' : 'write' });
    return reply as [string, string?, string?];
  }

  #keys(id: string): readonly string[] {
    return [this.#parts.keys.session(id)];
  }

  #now(): number | '' {
    return this.#parts.clock?.now() ?? '';
  }
}
