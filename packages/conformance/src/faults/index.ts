export { PUBLIC_CASES, type PublicCase } from './cases.js';
export type { Bench, CellResult, FaultCell, Figures } from './cell.js';
export { CELLS } from './cells/index.js';
export { type FaultOptions, runFaults } from './run-faults.js';
export { type FakedTime, fakedTime, faketimeLibrary } from './tools/faketime.js';
