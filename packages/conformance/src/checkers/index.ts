export { type Chain, chainFaults, type OfferedSave } from './chain-check.js';
export { checkLinearizable, type LinearizabilityOptions, type Verdict } from './linearizability.js';
export type { Answer, Done, History, Operation, RecordedCall } from './recorded-call.js';
export { showHistory } from './show-history.js';
export { shrinkHistory } from './shrink-history.js';
