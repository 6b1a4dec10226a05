export { approvalDeciding } from './deciding.js';
export { approvalRecords } from './records.js';
