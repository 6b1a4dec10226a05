/** How the keys of a store are named. Ids hold no `#` and no `/`, so that no two records share a key. */
export class KvKeys {
  constructor(readonly prefix: string) {}

  get checkpoints(): string {
    return `${this.prefix}checkpoints/`;
  }

  get approvals(): string {
    return `${this.prefix}approvals/`;
  }

  get sessions(): string {
    return `${this.prefix}sessions/`;
  }

  checkpoint(sessionId: string): string {
    return `${this.checkpoints}${sessionId}`;
  }

  /** The ids of the kept saves, oldest first. */
  history(sessionId: string): string {
    return `${this.checkpoint(sessionId)}#history`;
  }

  entries(sessionId: string): string {
    return `${this.history(sessionId)}/`;
  }

  entry(sessionId: string, entryId: string): string {
    return `${this.entries(sessionId)}${entryId}`;
  }

  /** A key of its own: a heartbeat and a save of one run are never held up by each other's writes. */
  lease(sessionId: string): string {
    return `${this.prefix}leases/${sessionId}`;
  }

  approval(id: string): string {
    return `${this.approvals}${id}`;
  }

  claim(id: string): string {
    return `${this.approval(id)}#claim`;
  }

  session(id: string): string {
    return `${this.sessions}${id}`;
  }
}
