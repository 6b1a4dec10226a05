/** A process from its start to its end. A dead one never goes on: what it waits for does not come. */
export class Life {
  /** Virtual milliseconds; before that nothing of it runs, its timers included. */
  stoppedUntil = 0;
  readonly died: Promise<never>;
  #isDead = false;
  #end: (error: Crashed) => void = () => {};

  constructor(
    readonly name: string,
    /** People and the operator are spared the faults. */
    readonly isMortal: boolean,
  ) {
    this.died = new Promise((_, reject) => {
      this.#end = reject;
    });
    this.died.catch(() => {});
  }

  get isDead(): boolean {
    return this.#isDead;
  }

  die(): void {
    this.#isDead = true;
    this.#end(new Crashed(this.name));
  }
}

/** What a client of a process learns when it ends: nothing about its request. */
export class Crashed extends Error {
  constructor(name: string) {
    super(`${name} crashed`);
  }
}
