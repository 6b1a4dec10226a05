import { NotRun } from '../../model/violation.js';
import type { Figures } from '../cell.js';

/** The figures of a cell that hit all that it aimed at. One that did not, and saw nothing wrong, has not run. */
export function nothingMissed({
  missed,
  ...figures
}: Figures & { readonly missed: readonly string[] }): Figures {
  if (missed.length === 0 || figures.inconsistent.length > 0) return figures;
  throw new NotRun(`${missed.length} places were never hit: ${missed.join('; ')}`);
}
