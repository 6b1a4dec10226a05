import { readFileSync } from 'node:fs';
import {
  CheckpointCorruptError,
  ConfigurationError,
  ERROR_CODES,
  type ErrorCode,
  expected,
  PropagatingToolError,
  SDKError,
  SessionAwaitingApprovalError,
  SessionBusyError,
  show,
} from '@lousho/core/contract';
import { describe, expect, it } from 'vitest';

const CODES = Object.entries(ERROR_CODES) as [ErrorCode, { hint: string; retryable: boolean }][];

describe('the list of error codes', () => {
  it.each(CODES)('%s has the prefix, a hint that is a sentence, and says whether to retry', (code, facts) => {
    expect(code).toMatch(/^LOUSHO_[A-Z]+(_[A-Z]+)*$/);
    expect(facts.hint).toMatch(/^[A-Z].*\.$/);
    expect(facts.retryable).toBeTypeOf('boolean');
  });

  it('cannot be changed', () => {
    expect(() => Object.assign(ERROR_CODES, { LOUSHO_NEW: { hint: '', retryable: false } })).toThrow(
      TypeError,
    );
  });
});

describe('SDKError', () => {
  it('has the facts of its code and a message that says what, which code, what to do and where to read on', () => {
    const cause = new Error('EIO');
    const error = new SDKError('LOUSHO_STORAGE_FAILED', 'fileStore(./runs): save() failed: EIO', { cause });
    const { hint, retryable } = ERROR_CODES.LOUSHO_STORAGE_FAILED;
    expect(error).toMatchObject({ name: 'SDKError', code: 'LOUSHO_STORAGE_FAILED', hint, retryable, cause });
    expect(error.detail).toBe('fileStore(./runs): save() failed: EIO');
    expect(error.docs).toMatch(/\/docs\/errors\.md#lousho_storage_failed$/);
    expect(error.message).toBe(`${error.detail}\n[LOUSHO_STORAGE_FAILED] ${hint} (${error.docs})`);
  });

  it('has no cause when there is none', () => {
    expect('cause' in new SDKError('LOUSHO_TEST_FAILED', 'x')).toBe(false);
  });

  it('takes a hint and a retryable that are known better', () => {
    const error = new SDKError('LOUSHO_STORAGE_FAILED', 'x', { hint: 'Mount it.', retryable: false });
    expect(error).toMatchObject({ hint: 'Mount it.', retryable: false });
    expect(error.message).toContain('Mount it.');
  });

  it('is recognised across copies of the package, and nothing else is', async () => {
    const copy = (await import(
      `${import.meta.resolve('@lousho/core/contract').replace('index.js', 'errors.js')}?copy`
    )) as {
      SDKError: typeof SDKError;
    };
    expect(copy.SDKError).not.toBe(SDKError);
    expect(new copy.SDKError('LOUSHO_TEST_FAILED', 'x')).toBeInstanceOf(SDKError);
    expect(new SDKError('LOUSHO_TEST_FAILED', 'x')).toBeInstanceOf(copy.SDKError);
    for (const other of [new Error('x'), { code: 'LOUSHO_TEST_FAILED' }, null, undefined, 'x']) {
      expect(other instanceof SDKError).toBe(false);
    }
  });

  it('tells its subclasses apart', () => {
    const busy = new SessionBusyError('refund-42', 'busy', { owner: 'worker-a' });
    const waiting = new SessionAwaitingApprovalError({
      sessionId: 'chat-1',
      checkpointId: 'chat-1.turn-3',
      approvalId: 'a-1',
    });
    const corrupt = new CheckpointCorruptError('refund-42', 'torn', { newestRevision: 3 });
    const wrong = new ConfigurationError('two options', {
      code: 'LOUSHO_CONFIG_CONFLICTING_OPTIONS',
      field: 'prompt',
    });
    for (const error of [busy, waiting, corrupt, wrong]) expect(error).toBeInstanceOf(SDKError);
    expect(busy).not.toBeInstanceOf(ConfigurationError);
    expect(new SDKError('LOUSHO_SESSION_BUSY', 'x')).not.toBeInstanceOf(SessionBusyError);
    expect(busy).toMatchObject({
      name: 'SessionBusyError',
      code: 'LOUSHO_SESSION_BUSY',
      retryable: true,
      sessionId: 'refund-42',
    });
    expect(busy.holder).toEqual({ owner: 'worker-a' });
    expect(waiting).toMatchObject({
      sessionId: 'chat-1',
      checkpointId: 'chat-1.turn-3',
      approvalId: 'a-1',
      retryable: false,
    });
    expect(new SessionAwaitingApprovalError({ sessionId: 'run-1' }).checkpointId).toBe('run-1');
    expect(corrupt).toMatchObject({ code: 'LOUSHO_CHECKPOINT_CORRUPT', newestRevision: 3, retryable: false });
    expect(wrong).toMatchObject({ code: 'LOUSHO_CONFIG_CONFLICTING_OPTIONS', field: 'prompt' });
  });

  it('leaves PropagatingToolError a plain error', () => {
    const error = new PropagatingToolError('stop', { cause: 1 });
    expect(error).not.toBeInstanceOf(SDKError);
    expect(error).toMatchObject({ name: 'PropagatingToolError', message: 'stop', cause: 1 });
  });
});

describe('expected', () => {
  it('says what was expected and what came', () => {
    const error = expected('ttlMs', 'a positive integer', -1);
    expect(error.detail).toBe('Expected `ttlMs` to be a positive integer, got `-1` (number)');
    expect(error).toMatchObject({ code: 'LOUSHO_CONFIG_INVALID', field: 'ttlMs' });
  });

  it.each([
    [null, '`null`'],
    [undefined, '`undefined`'],
    ['x', '`x` (string)'],
    ['y'.repeat(61), `\`${'y'.repeat(60)}…\` (string)`],
    [1n, '`1` (bigint)'],
    [Number.NaN, '`NaN` (number)'],
    [Symbol('s'), '`Symbol(s)` (symbol)'],
    [() => 'secret', 'a function'],
    [{ secret: 1 }, 'an object (Object)'],
    [Object.create(null), 'an object (no prototype)'],
    [[1], 'an object (Array)'],
  ])('shows a value without the contents of an object (%#)', (value, text) => {
    expect(show(value)).toBe(text);
  });
});

describe('the source', () => {
  it('writes the prefix of the codes once', () => {
    const source = readFileSync(new URL('../../src/contract/error-codes.ts', import.meta.url), 'utf8');
    expect(source.match(/'LOUSHO_'/g)).toHaveLength(1);
  });
});
