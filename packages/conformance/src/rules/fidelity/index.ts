export { fidelityIsolation } from './isolation.js';
export { fidelityValues } from './values.js';
