/** Built modules with one thing wrong: the sources stay as they are, the change is made when a module is loaded. */
interface Patched {
  readonly name: string;
  /** What it does wrong. */
  readonly says: string;
  readonly patches: readonly Patch[];
}

export interface PatchedMutant extends Patched {
  /** On which store the rules are run. */
  readonly store: 'reference' | 'file' | 'sqlite' | 'postgres' | 'redis' | 'dynamodb';
  /** The rules and fault cells that must see it, each by an assertion of its own. */
  readonly killedBy: readonly string[];
}

/** A mutant that shows only where a server, or the way to it, fails: what rules cannot bring about, a store's own tests do. */
export interface TestedMutant extends Patched {
  /** Below `packages/`: `store-redis/test/cluster.test.ts`. */
  readonly file: string;
  /** How the names of the tests begin that must see it, each by an assertion. */
  readonly killedBy: readonly string[];
}

export interface Patch {
  /** Below `packages/`: `core/dist/executor/recorder.js`. */
  readonly file: string;
  /** Stands in it exactly once. */
  readonly find: string;
  readonly replace: string;
}

/** Something is changed and nothing is wrong: no rule may see it. */
export interface PatchedControl extends Patched {
  readonly store: PatchedMutant['store'];
  /** The families or rules that look where it differs. */
  readonly passes: readonly string[];
}
