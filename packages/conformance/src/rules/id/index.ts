export { idAccepted } from './accepted.js';
export { idAlike } from './alike.js';
export { idRefused } from './refused.js';
