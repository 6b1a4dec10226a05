/** The prefix of every code, written once. */
const PREFIX = 'LOUSHO_';

interface CodeFacts {
  /** What to do about it. */
  readonly hint: string;
  /** Whether the same call may succeed later without a change. */
  readonly retryable: boolean;
}

/**
 * Every error code, what to do about it and whether to try again. `docs/errors.md` has a heading for each.
 * The order is the order of that page.
 */
const FACTS = {
  SESSION_BUSY: {
    hint: 'Another process or run advances this id. Wait until it has finished or its lease has expired, then try again.',
    retryable: true,
  },
  SESSION_AWAITING_APPROVAL: {
    hint: 'Decide the pending approval first, then send the new message.',
    retryable: false,
  },
  SESSION_ID_INVALID: {
    hint: 'Use 1-200 characters of A-Z a-z 0-9 _ - and ., not starting or ending with a dot and without a reserved ending.',
    retryable: false,
  },
  SESSION_TURN_FAILED: {
    hint: 'The pending turn fails the same way each time. Correct the cause and resume(), or drop the turn with discardPending().',
    retryable: false,
  },
  SESSION_STEP_NOT_FOUND: {
    hint: 'Use a step that history() lists, or 0 for an empty session.',
    retryable: false,
  },
  SESSION_EXISTS: { hint: 'Use another id: this one has a transcript.', retryable: false },
  CHECKPOINT_NOT_FOUND: {
    hint: 'Fork from a step that the history still keeps; the message lists them.',
    retryable: false,
  },
  CHECKPOINT_CORRUPT: {
    hint: 'The stored record cannot be read. Restore it from a backup, or delete the id to start over.',
    retryable: false,
  },
  CHECKPOINT_TOO_LARGE: {
    hint: 'Keep large data outside the transcript and store a reference, or use a store with a higher limit.',
    retryable: false,
  },
  RECORD_NOT_ENCRYPTED: {
    hint: 'The store is opened with encrypted(), and this record was written without it. Open it so in every process.',
    retryable: false,
  },
  RECORD_TAMPERED: {
    hint: 'The record was changed after it was stored, or belongs to another id. Restore it from a backup.',
    retryable: false,
  },
  RECORD_TRUNCATED: {
    hint: 'The record has lost its end after it was stored. Restore it from a backup.',
    retryable: false,
  },
  RECORD_KEY_UNKNOWN: {
    hint: 'Give this process the key that the record names. Keep a key for as long as there are records that it sealed.',
    retryable: false,
  },
  VALUE_INVALID: {
    hint: 'Stored values are JSON plus Uint8Array. Convert the value at the given path before it is stored.',
    retryable: false,
  },
  APPROVAL_ID_INVALID: {
    hint: 'Use 1-200 characters of A-Z a-z 0-9 _ - and ., not starting or ending with a dot.',
    retryable: false,
  },
  APPROVAL_NOT_FOUND: {
    hint: 'The approval is unknown, or was decided before. A decision is given once.',
    retryable: false,
  },
  APPROVAL_ORPHANED: {
    hint: 'The run that asked is gone or has moved on, so the approval was withdrawn. Nothing was run.',
    retryable: false,
  },
  APPROVAL_STORE_MISSING: {
    hint: 'A tool asked for approval, but there is no approval store to keep the question in. Give the agent a store with approvals.',
    retryable: false,
  },
  CONFIG_INVALID: { hint: 'Correct the named option.', retryable: false },
  CONFIG_CONFLICTING_OPTIONS: { hint: 'Give only one of the named options.', retryable: false },
  CONFIG_MISSING_PROVIDER: { hint: 'Pass a provider: the model that the agent asks.', retryable: false },
  CONFIG_MISSING_AGENT: { hint: 'Pass the agent whose run this is.', retryable: false },
  CONFIG_MISSING_INPUT: {
    hint: 'Pass a message. Empty input only resumes a session that exists.',
    retryable: false,
  },
  CONFIG_MISSING_CHECKPOINT_STORE: {
    hint: 'Pass a store with checkpoints to createAgent().',
    retryable: false,
  },
  CONFIG_RESOLVER_FAILED: {
    hint: 'Look at the cause: a function that was asked for the model, the instructions, the tools or the handoffs failed.',
    retryable: true,
  },
  SUBAGENT_TASK_BUSY: { hint: 'Wait for a task with one call at a time.', retryable: true },
  SUBAGENT_TASK_NOT_FOUND: {
    hint: 'Name a task of this run, or keep the conversations of tasks with subagentOptions.sessions.',
    retryable: false,
  },
  AGENT_DRIFT: {
    hint: "The agent is not the one that began the run. Resume it with that one, or allow the change with onAgentDrift: 'warn'.",
    retryable: false,
  },
  RUN_MOVED: {
    hint: 'It was copied to another store and goes on there. Point this process at that store.',
    retryable: false,
  },
  RESUME_TOOL_MISSING: {
    hint: 'A pending call names a tool that this agent does not have. Resume with an agent that has it, or delete the checkpoint.',
    retryable: false,
  },
  STORAGE_FAILED: { hint: 'Look at the cause: the storage under the store failed.', retryable: true },
  STORAGE_FULL: {
    hint: 'Free space on the device and try again. What was stored before is unchanged.',
    retryable: true,
  },
  STORAGE_READ_ONLY: {
    hint: 'Give the process the right to read and write there, or open the store elsewhere.',
    retryable: false,
  },
  STORAGE_BUSY: {
    hint: 'Another writer kept the storage locked for too long. Try again.',
    retryable: true,
  },
  STORAGE_INCOMPATIBLE: {
    hint: 'It was written by another program or a newer version. Use that version, or another place.',
    retryable: false,
  },
  STORE_OUTCOME_UNKNOWN: {
    hint: 'The reply was lost, so the write may or may not have happened. Load the record and compare revisions.',
    retryable: true,
  },
  COPY_DIFFERS: {
    hint: 'The target does not give back what was written to it. Nothing of it was closed at the source. Look at the target.',
    retryable: false,
  },
  STORE_CLOSED: { hint: 'The store was closed. Open a new one.', retryable: false },
  PROVIDER_REQUEST_FAILED: { hint: 'Look at the cause: the model call failed.', retryable: true },
  PROVIDER_RESPONSE_INVALID: {
    hint: 'The provider returned a response that is not one. Correct the provider.',
    retryable: false,
  },
  HOOK_FAILED: { hint: 'Look at the cause: a hook threw.', retryable: true },
  TOOL_DUPLICATE: { hint: 'Give each tool its own name.', retryable: false },
  RUN_ALREADY_ITERATED: {
    hint: 'A run is an iterable once. Keep the events of the first loop, or await its result.',
    retryable: false,
  },
  TEST_FAILED: { hint: 'A check of the testing helpers did not hold.', retryable: false },
} as const satisfies Record<string, CodeFacts>;

export type ErrorCode = `LOUSHO_${keyof typeof FACTS}`;

/** Code to facts, for programs that print or check the list. */
export const ERROR_CODES: Readonly<Record<ErrorCode, CodeFacts>> = Object.freeze(
  Object.fromEntries(Object.entries(FACTS).map(([name, facts]) => [PREFIX + name, facts])),
) as Record<ErrorCode, CodeFacts>;
