import { randomBytes } from 'node:crypto';

/** Names a call, so that a server can tell its repetition from another call: never used twice, by any client. */
export class Nonces {
  readonly #client = randomBytes(9).toString('base64url');
  #calls = 0;

  next(): string {
    this.#calls += 1;
    return `${this.#client}.${this.#calls.toString(36)}`;
  }
}
