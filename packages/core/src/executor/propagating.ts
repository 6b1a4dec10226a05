import { PropagatingToolError } from '../contract/index.js';

/** Also recognises the error of another copy of the package. */
export function isPropagating(thrown: unknown): boolean {
  return (
    thrown instanceof PropagatingToolError || (thrown as Error | undefined)?.name === 'PropagatingToolError'
  );
}
