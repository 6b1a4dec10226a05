/** Where run ids, lease owners and missing tool-call ids come from. Every value is used once, ever. */
export interface Ids {
  next(): string;
}

export const randomIds: Ids = { next: () => crypto.randomUUID() };
