import type { FaultCell } from '../cell.js';
import { errorCells, killCells, powerLossCells } from './disk-cells.js';
import { resourceCells } from './resource-cells.js';
import { stallCells } from './stall-cells.js';
import { threadCells } from './thread-cells.js';

export const CELLS: readonly FaultCell[] = [
  ...killCells,
  ...powerLossCells,
  ...errorCells,
  ...resourceCells,
  ...stallCells,
  ...threadCells,
];
