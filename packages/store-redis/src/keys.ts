/** Names of keys. What belongs to one id is in one slot of a cluster: ids hold no braces, so the id between them is the hash tag. */
export class Keys {
  constructor(readonly prefix: string) {}

  lease(id: string): string {
    return `${this.prefix}{${id}}:lease`;
  }

  /** The lease, the head, the messages, the kept heads and the superseded messages of a run, in the order that the scripts expect. */
  run(id: string): readonly string[] {
    return ['lease', 'head', 'rows', 'kept', 'old'].map((part) => `${this.prefix}{${id}}:${part}`);
  }

  approval(id: string): string {
    return `${this.prefix}{${id}}:approval`;
  }

  session(id: string): string {
    return `${this.prefix}{${id}}:session`;
  }

  /** All ids, the open ones, and under which registration each is there. `*` is no id. */
  index(name: string): readonly string[] {
    return ['all', 'open', 'given'].map((part) => `${this.prefix}{*}:${name}:${part}`);
  }
}
