export { closeClosing } from './closing.js';
