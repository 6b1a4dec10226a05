/** What a child and the process that started it tell each other: JSON, named by `kind`. */
export interface ChildMessage {
  readonly kind: string;
  readonly [field: string]: unknown;
}

/** The kind of a child's first message: what it reads from its clocks. */
export const CLOCKS = 'clocks';
