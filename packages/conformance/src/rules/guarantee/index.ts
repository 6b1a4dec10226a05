export { guaranteeLoneHolder } from './lone-holder.js';
export { guaranteePrefix } from './prefix.js';
