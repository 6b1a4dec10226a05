/** What docs/contract.md says of one id's lease and its fenced saves, in the fewest words. Time is what is left of the lease. */
export class LeaseModel {
  revision = 0;
  revisions: number[] = [];
  savedBy: string | undefined;
  #holder: string | undefined;
  #leftMs = 0;
  #leases = 0;
  #savedUnder = 0;

  constructor(
    readonly ttlMs: number,
    readonly graceMs: number,
  ) {}

  acquire(owner: string): boolean {
    if (this.#holder !== undefined && this.#holder !== owner && this.#leftMs + this.graceMs > 0) return false;
    if (this.#holder !== owner) this.#leases += 1;
    this.#holder = owner;
    this.#leftMs = this.ttlMs;
    return true;
  }

  renew(owner: string): boolean {
    return this.#holder === owner && this.acquire(owner);
  }

  release(owner: string): void {
    if (this.#holder === owner) this.#holder = undefined;
  }

  save(owner: string, revision: number): boolean {
    if (this.#holder !== owner) return false;
    if (this.savedBy === owner && revision <= this.revision) return true;
    this.revision = revision;
    this.revisions.push(revision);
    this.savedBy = owner;
    this.#savedUnder = this.#leases;
    return true;
  }

  /** Whether a save of this owner's can be a repeated one: its own last one, under the lease that it had then or under none. */
  hasSaved(owner: string): boolean {
    return this.savedBy === owner && (this.#holder !== owner || this.#savedUnder === this.#leases);
  }

  delete(): void {
    this.#holder = undefined;
    this.revision = 0;
    this.revisions = [];
    this.savedBy = undefined;
  }

  wait(ms: number): void {
    this.#leftMs -= ms;
  }
}
