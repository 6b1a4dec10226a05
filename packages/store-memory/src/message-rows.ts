import type { ChangedRow } from '@lousho/core/contract';

/**
 * The messages of one id. Each text is kept once, however many saves show it: a row has versions, and a save sees of each the newest
 * one that is not younger than itself.
 */
export class MessageRows {
  readonly #rows: RowVersion[][] = [];
  readonly #superseded: Superseded[] = [];

  /** The text at `index` as the save numbered `save` sees it. */
  textAt(index: number, save: number): string {
    const version = this.#rows[index]?.findLast((candidate) => candidate.save <= save);
    if (version === undefined) throw new Error(`message ${index} of save ${save} is missing`);
    return version.text;
  }

  write(save: number, changed: readonly ChangedRow[]): void {
    for (const { index, text } of changed) {
      const versions = this.#rows[index] ?? [];
      if (versions.length > 0) this.#superseded.push({ index, save });
      versions.push({ save, text });
      this.#rows[index] = versions;
    }
  }

  /** Rows from `from` up to `to` are in no save numbered `save` or later, unless it writes them again. */
  cut(save: number, from: number, to: number): void {
    for (let index = from; index < to; index++) this.#superseded.push({ index, save });
  }

  /** Drops what no save numbered `oldest` or later can see. */
  forget(oldest: number): void {
    while (this.#superseded[0] !== undefined && this.#superseded[0].save <= oldest) {
      const { index, save } = this.#superseded.shift() as Superseded;
      const versions = this.#rows[index];
      if (versions) this.#rows[index] = versions.filter((version) => version.save >= save);
    }
  }

  /** How many texts are kept: what a prune is judged by. */
  get size(): number {
    return this.#rows.reduce((sum, versions) => sum + versions.length, 0);
  }
}

interface RowVersion {
  /** The number of the save that wrote it. */
  readonly save: number;
  readonly text: string;
}

interface Superseded {
  readonly index: number;
  /** Versions older than this save are invisible to it and to all later ones. */
  readonly save: number;
}
