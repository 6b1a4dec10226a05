import type { Deadline } from './deadline.js';
import { RANGE, REGISTER, SAMPLE, SWEEP, UNREGISTER } from './index-scripts.js';
import type { RedisLink } from './redis-link.js';

/** Ids looked at for each new one: more than one, so that the index stays bounded by what is stored. */
const TIDIED = 3;
/** How many records are looked at together. */
const PAGE = 500;

/**
 * The ids of one kind of records, all of them and the open ones. An index is in another slot than the records, so it is written before
 * a record and cleaned after it: a crash in between leaves an id too many, never one too few. Who reads it asks each record.
 *
 * A removal names the registration that it ends, so one that comes late cannot end a newer registration. And a record remembers which
 * one was ended last and takes none that is older: its id would be removed with the one that ended.
 */
export class IdIndex {
  constructor(
    readonly link: RedisLink,
    readonly keys: readonly string[],
  ) {}

  /** To be given to the script that writes the record. */
  async register(id: string, isOpen: boolean, deadline: Deadline): Promise<string> {
    const args = [id, isOpen ? '1' : '0'];
    return String(await this.link.run({ script: REGISTER, keys: this.keys, args, effect: 'idle', deadline }));
  }

  /** Behind the answer: the record is not open any more. */
  close(id: string, registration: string): void {
    this.#unregister(id, registration, 'close');
  }

  /** Behind the answer: the record is gone. */
  drop(id: string, registration: string): void {
    this.#unregister(id, registration, 'drop');
  }

  /** Behind the answer: ids that stand here though their record does not ask for it. */
  sweep(ids: readonly string[], act: 'close' | 'drop'): void {
    if (ids.length === 0) return;
    this.link.behind(this.link.run({ script: SWEEP, keys: this.keys, args: [act, ...ids], effect: 'idle' }));
  }

  /** Behind the answer: looks for ids among a few that have no record any more, so that what the server forgets leaves the index too. */
  tidy(hasRecord: (id: string) => Promise<boolean>): void {
    this.link.behind(this.#tidy(hasRecord));
  }

  /** In code-point order, those behind `after`. */
  page(which: 'all' | 'open', after: string, limit: number): Promise<string[]> {
    return this.#range(which, after === '' ? '-' : `(${after}`, '+', limit);
  }

  /** All of them whose record is still there. */
  async existing(hasRecord: (id: string) => Promise<boolean>): Promise<string[]> {
    const existing: string[] = [];
    for (let after = ''; ; ) {
      const ids = await this.page('all', after, PAGE);
      const found = await Promise.all(ids.map(hasRecord));
      existing.push(...ids.filter((_, at) => found[at]));
      const last = ids.at(-1);
      if (last === undefined || ids.length < PAGE) return existing;
      after = last;
    }
  }

  /** The open ids that are `id` or begin with it and a dot. */
  async openUnder(id: string): Promise<string[]> {
    const [own, turns] = await Promise.all([
      this.#range('open', `[${id}`, `[${id}`, 1),
      this.#range('open', `[${id}.`, `(${id}/`, -1),
    ]);
    return [...own, ...turns];
  }

  async #range(which: 'all' | 'open', from: string, to: string, limit: number): Promise<string[]> {
    const keys = [this.keys[which === 'all' ? 0 : 1] as string];
    const ids = await this.link.run({ script: RANGE, keys, args: [from, to, limit], effect: 'idle' });
    return ids as string[];
  }

  async #tidy(hasRecord: (id: string) => Promise<boolean>): Promise<void> {
    const keys = [this.keys[0] as string];
    const ids = (await this.link.run({ script: SAMPLE, keys, args: [TIDIED], effect: 'idle' })) as string[];
    const found = await Promise.all(ids.map(hasRecord));
    this.sweep(
      ids.filter((_, at) => !found[at]),
      'drop',
    );
  }

  #unregister(id: string, registration: string, act: 'close' | 'drop'): void {
    if (registration === '') return;
    const args = [id, registration, act];
    this.link.behind(this.link.run({ script: UNREGISTER, keys: this.keys, args, effect: 'idle' }));
  }
}
