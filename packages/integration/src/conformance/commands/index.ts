/** What `npm run conformance -- <name>` does, by name. The module is loaded when it is asked for. */
export const COMMANDS: Readonly<Record<string, () => Promise<Command>>> = {
  matrix: () => import('./matrix.js'),
  crash: () => import('./crash.js'),
  docs: () => import('./docs.js'),
  mutants: () => import('./mutants.js'),
  public: () => import('./public.js'),
  simulate: () => import('./simulate.js'),
};

export interface Command {
  /** Resolves to the exit code. */
  run(args: readonly string[]): Promise<number>;
}
