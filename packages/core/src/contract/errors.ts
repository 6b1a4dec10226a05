import type { LeaseHolder } from './checkpoint-store.js';
import { ERROR_CODES, type ErrorCode } from './error-codes.js';

const DOCS = 'https://github.com/lousho/lousho/blob/main/docs/errors.md';
const BRAND = Symbol.for('lousho.error');

export interface SDKErrorOptions {
  readonly cause?: unknown;
  /** Overrides the code's own answer where the cause is known better. */
  readonly retryable?: boolean;
  /** Overrides the code's own hint. */
  readonly hint?: string;
}

/**
 * Every error of this SDK. Act on `code`, never on the message. `detail` is the sentence with the actual values; `message` adds the
 * code, the hint and a link. Texts never contain message contents or secrets. `instanceof` also holds across copies of the package.
 */
export class SDKError extends Error {
  readonly code: ErrorCode;
  readonly detail: string;
  readonly hint: string;
  readonly docs: string;
  readonly retryable: boolean;

  constructor(code: ErrorCode, detail: string, options: SDKErrorOptions = {}) {
    const facts = ERROR_CODES[code];
    const hint = options.hint ?? facts.hint;
    const docs = `${DOCS}#${code.toLowerCase()}`;
    super(
      `${detail}\n[${code}] ${hint} (${docs})`,
      options.cause === undefined ? undefined : { cause: options.cause },
    );
    this.name = new.target.name;
    this.code = code;
    this.detail = detail;
    this.hint = hint;
    this.docs = docs;
    this.retryable = options.retryable ?? facts.retryable;
    Object.defineProperty(this, BRAND, { value: true });
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    if (this !== SDKError) return Function.prototype[Symbol.hasInstance].call(this, value);
    return typeof value === 'object' && value !== null && BRAND in value;
  }
}

/** A wrong option or argument; `field` names it. */
export class ConfigurationError extends SDKError {
  readonly field: string | undefined;

  constructor(detail: string, options: SDKErrorOptions & { code?: ErrorCode; field?: string } = {}) {
    super(options.code ?? 'LOUSHO_CONFIG_INVALID', detail, options);
    this.field = options.field;
  }
}

/** Somebody else advances the id. `holder` says who and from when it can be taken, as far as the store tells. */
export class SessionBusyError extends SDKError {
  readonly sessionId: string;
  readonly holder: LeaseHolder | undefined;

  constructor(sessionId: string, detail: string, holder?: LeaseHolder) {
    super('LOUSHO_SESSION_BUSY', detail);
    this.sessionId = sessionId;
    this.holder = holder;
  }
}

/** New input arrived while the run waits for a person. Neither the model nor a tool was called. */
export class SessionAwaitingApprovalError extends SDKError {
  /** The id that the caller used. */
  readonly sessionId: string;
  /** The stored key. */
  readonly checkpointId: string;
  readonly approvalId: string | undefined;
  readonly approvalKind: 'question' | undefined;

  constructor(facts: {
    sessionId: string;
    checkpointId?: string;
    approvalId?: string | undefined;
    approvalKind?: 'question' | undefined;
  }) {
    super(
      'LOUSHO_SESSION_AWAITING_APPROVAL',
      `session ${facts.sessionId} waits for approval ${facts.approvalId ?? '(unknown)'}`,
    );
    this.sessionId = facts.sessionId;
    this.checkpointId = facts.checkpointId ?? facts.sessionId;
    this.approvalId = facts.approvalId;
    this.approvalKind = facts.approvalKind;
  }
}

/** A stored checkpoint cannot be read. `newestRevision` is the newest one that still can, where the store found one. */
export class CheckpointCorruptError extends SDKError {
  readonly sessionId: string;
  readonly newestRevision: number | undefined;

  constructor(
    sessionId: string,
    detail: string,
    options: SDKErrorOptions & { newestRevision?: number } = {},
  ) {
    super('LOUSHO_CHECKPOINT_CORRUPT', detail, options);
    this.sessionId = sessionId;
    this.newestRevision = options.newestRevision;
  }
}

/** Thrown inside a tool, it rejects the whole run with this very error instead of becoming a result that the model sees. */
export class PropagatingToolError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'PropagatingToolError';
  }
}

/** ``Expected `ttlMs` to be a positive integer, got `-1` (number)``. */
export function expected(field: string, wanted: string, got: unknown): ConfigurationError {
  return new ConfigurationError(`Expected \`${field}\` to be ${wanted}, got ${show(got)}`, { field });
}

/** The same for a field that holds message contents or may hold a secret: says only of what kind the value was. */
export function expectedKind(field: string, wanted: string, got: unknown, hint?: string): ConfigurationError {
  const isNothing = got === null || got === undefined;
  const kind = isNothing ? `${got}` : Array.isArray(got) ? 'an array' : `a value of type ${typeof got}`;
  return new ConfigurationError(`Expected \`${field}\` to be ${wanted}, got ${kind}`, {
    field,
    ...(hint !== undefined && { hint }),
  });
}

/** A value as an error text may show it: short, and never an object's contents. */
export function show(value: unknown): string {
  if (value === null || value === undefined) return `\`${value}\``;
  if (typeof value === 'string') {
    return `\`${value.length > 60 ? `${value.slice(0, 60)}…` : value}\` (string)`;
  }
  if (typeof value === 'object') return `an object (${value.constructor?.name ?? 'no prototype'})`;
  if (typeof value === 'function') return 'a function';
  return `\`${String(value)}\` (${typeof value})`;
}
