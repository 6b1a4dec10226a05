/** A built module with one thing wrong: the sources stay as they are, the change is made when the module is loaded. */
export interface PatchedMutant {
  readonly name: string;
  /** What it does wrong. */
  readonly says: string;
  /** On which store the rules are run. */
  readonly store: 'reference' | 'file' | 'sqlite';
  /** The rules that must see it, each by an assertion of its own. */
  readonly killedBy: readonly string[];
  readonly patches: readonly Patch[];
}

export interface Patch {
  /** Below `packages/`: `core/dist/executor/recorder.js`. */
  readonly file: string;
  /** Stands in it exactly once. */
  readonly find: string;
  readonly replace: string;
}

/** A mutant that nothing can show yet. */
export interface WaitingMutant {
  readonly name: string;
  readonly says: string;
  /** What has to come first. */
  readonly waitsFor: string;
}

/** Something is changed and nothing is wrong: no rule may see it. */
export interface PatchedControl extends Omit<PatchedMutant, 'killedBy'> {
  /** The families or rules that look where it differs. */
  readonly passes: readonly string[];
}
