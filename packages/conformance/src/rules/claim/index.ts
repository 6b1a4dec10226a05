export { claimClaims } from './claims.js';
