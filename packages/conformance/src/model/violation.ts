/** A promise that was not kept: what was promised, and what was seen instead. */
export class Violation extends Error {
  constructor(
    readonly promised: string,
    readonly seen: string,
  ) {
    super(`promised: ${promised}; seen: ${seen}`);
    this.name = 'Violation';
  }
}

/** Thrown by a check that finds out on the way that it cannot run here. */
export class NotRun extends Error {
  constructor(readonly reason: string) {
    super(reason);
    this.name = 'NotRun';
  }
}
