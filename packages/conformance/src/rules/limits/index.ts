export { limitsLimits } from './limits.js';
