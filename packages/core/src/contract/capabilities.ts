/**
 * What a store promises, as values that a test can hold it to. An absent value means the weakest one.
 * Each line says what a caller may rely on.
 */
export interface StoreCapabilities {
  /** `atomic`: a save by a holder that lost its lease is refused in the same step that would have written it. */
  readonly fencing?: 'atomic' | 'best-effort' | 'none';
  /** `latest`: a load sees every save that was acknowledged before it began. */
  readonly reads?: 'latest' | 'eventual';
  /** How far apart two clients of one storage may be. */
  readonly reach?: 'process' | 'host' | 'network';
  /** What an acknowledged save survives. */
  readonly survives?: 'nothing' | 'process-crash' | 'power-loss';
  /** Whose time decides that a lease has expired. */
  readonly clock?: 'store' | 'host' | 'observed' | 'caller';
  /** Milliseconds waited past a lease's expiry before another owner may take it. */
  readonly graceMs?: number;
  /** When a lease may be taken before it expires: its holder is proven to have ended. */
  readonly deathProof?: 'none' | 'instance' | 'process';
  readonly limits?: {
    readonly maxCheckpointBytes?: number;
    readonly maxWritesPerKeyPerSecond?: number;
  };
}
