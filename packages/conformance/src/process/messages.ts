/** What a process is asked: `checkpoints.save` with arguments. */
export interface Call {
  readonly call: number;
  readonly path: string;
  readonly args: readonly unknown[];
}

export interface Reply {
  readonly call: number;
  readonly answer?: unknown;
  readonly error?: { readonly code?: string; readonly message: string };
}
