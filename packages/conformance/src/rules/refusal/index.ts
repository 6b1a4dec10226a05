export { refusalArguments } from './arguments.js';
export { refusalManyLeases } from './many-leases.js';
export { refusalValues } from './values.js';
