import { SDKError, show } from './errors.js';

const CHARACTERS = /^[A-Za-z0-9_.-]+$/;
const MAX_RUN_ID = 200;
/** A run id plus the suffixes that the SDK itself appends. */
const MAX_KEY = 240;
const RESERVED_ENDING = /(\.turn-\d+|\.task-\d+-\d+|\.paused|\.fire)$/;

const PART_ENDING = /\.(turn-\d+|task-\d+-\d+)$/;

/** Whether a key is that of a session's turn or of a sub-agent's task: its run works for another one. */
export function isPartKey(key: string): boolean {
  return PART_ENDING.test(key);
}

const TASK_ENDINGS = /(\.task-\d+-\d+)+$/;

/** Of a sub-agent's record: the key of the run that it works for in the end. Any other key is its own. */
export function outermostLeadOf(key: string): string {
  return key.replace(TASK_ENDINGS, '');
}

/** What is wrong with a key as a store may be given it; `null` when it is fine. */
function keyFault(id: unknown, maxLength: number): string | null {
  if (typeof id !== 'string') return `Expected an id to be a string, got ${show(id)}`;
  if (id.length === 0) return `Expected an id of 1-${maxLength} characters, got an empty string`;
  if (id.length > maxLength) return `Expected an id of 1-${maxLength} characters, got ${id.length}`;
  if (!CHARACTERS.test(id)) {
    return `Expected an id of letters, digits, \`_\`, \`-\` and \`.\`, got ${show(id)}`;
  }
  if (id.startsWith('.') || id.endsWith('.')) {
    return `Expected an id that neither starts nor ends with \`.\`, got ${show(id)}`;
  }
  return null;
}

/** Refuses, with `LOUSHO_SESSION_ID_INVALID`, what is not a run id: `sessionId` of `send()`, `stream()` and `execute()`. */
export function assertRunId(id: unknown): asserts id is string {
  const fault =
    keyFault(id, MAX_RUN_ID) ??
    (RESERVED_ENDING.test(id as string)
      ? `Expected an id without the reserved endings \`.turn-<n>\`, \`.task-<n>-<n>\`, \`.paused\` and \`.fire\`, got ${show(id)}`
      : null);
  if (fault) throw new SDKError('LOUSHO_SESSION_ID_INVALID', fault);
}

/** Refuses, with `LOUSHO_SESSION_ID_INVALID`, what is not a key that a store may be given: a run id, or one of the SDK's own keys. */
export function assertStoreKey(id: unknown): asserts id is string {
  const fault = keyFault(id, MAX_KEY);
  if (fault) throw new SDKError('LOUSHO_SESSION_ID_INVALID', fault);
}

export function isStoreKey(id: unknown): id is string {
  return keyFault(id, MAX_KEY) === null;
}

/** Refuses, with `LOUSHO_APPROVAL_ID_INVALID`, an id under which no approval can be saved. */
export function assertApprovalId(id: unknown): asserts id is string {
  const fault = keyFault(id, MAX_RUN_ID);
  if (fault) throw new SDKError('LOUSHO_APPROVAL_ID_INVALID', fault);
}

/** Code-point order, the order of every listing. Ids are ASCII, so code units do. */
export function compareIds(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
