export { refusalArguments } from './arguments.js';
export { refusalManyLeases } from './many-leases.js';
export { refusalPartsAndOptions } from './parts-and-options.js';
export { refusalValues } from './values.js';
