export { approvalDeciding } from './deciding.js';
export { approvalIds } from './ids.js';
export { approvalRecords } from './records.js';
