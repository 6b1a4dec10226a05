/** What became of a rule. There is no "skipped". */
export type Outcome =
  | { readonly kind: 'passed'; readonly ms: number }
  | Failure
  /** The store does not claim what the rule is about. */
  | { readonly kind: 'not-claimed'; readonly claim: string }
  /** It should have run and could not: red in CI. */
  | { readonly kind: 'not-run'; readonly reason: string }
  /** Nobody asked for it in this run. */
  | { readonly kind: 'untested'; readonly reason: string };

export interface Failure {
  readonly kind: 'failed';
  /** `violation`: the check saw a broken promise. `error`: a call rejected that should not. `unsettled`: it did not end in time. */
  readonly because: 'violation' | 'error' | 'unsettled';
  readonly promised: string;
  readonly seen: string;
  readonly ms: number;
}

export type OutcomeKind = Outcome['kind'];

export const OUTCOME_KINDS = ['passed', 'failed', 'not-claimed', 'not-run', 'untested'] as const;
