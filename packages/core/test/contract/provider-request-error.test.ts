import { failureOf, ProviderRequestError, SDKError } from '@lousho/core/contract';
import { describe, expect, it } from 'vitest';

describe('ProviderRequestError', () => {
  it('is an SDKError with the code of a failed model call, the facts and the cause', () => {
    const cause = new Error('slow down');
    const error = new ProviderRequestError('provider x: slow down', {
      status: 429,
      category: 'rate-limit',
      retryAfterMs: 2_000,
      cause,
    });
    expect(error).toBeInstanceOf(SDKError);
    expect(error).toMatchObject({
      name: 'ProviderRequestError',
      code: 'LOUSHO_PROVIDER_REQUEST_FAILED',
      detail: 'provider x: slow down',
      status: 429,
      category: 'rate-limit',
      retryAfterMs: 2_000,
      retryable: true,
      cause,
    });
  });

  it.each([
    [{}, true],
    [{ status: 200 }, true],
    [{ status: 400 }, false],
    [{ status: 401 }, false],
    [{ status: 408 }, true],
    [{ status: 409 }, false],
    [{ status: 429 }, true],
    [{ status: 499 }, false],
    [{ status: 500 }, true],
    [{ status: 529 }, true],
    [{ category: 'rate-limit' }, true],
    [{ category: 'timeout' }, true],
    [{ category: 'context-length-exceeded' }, false],
    [{ category: 'auth-failure' }, false],
    [{ category: 'quota-exceeded', status: 429 }, false],
    [{ category: 'something else', status: 503 }, true],
    [{ status: 400, retryable: true }, true],
  ])('%j: retryable is %s', (facts, retryable) => {
    expect(new ProviderRequestError('x', facts).retryable).toBe(retryable);
  });
});

describe('a wait that makes no sense', () => {
  it.each([-1, Number.NaN, Number.POSITIVE_INFINITY, 400 * 86_400_000])('%s: is none', (retryAfterMs) => {
    expect(new ProviderRequestError('x', { retryAfterMs }).retryAfterMs).toBeUndefined();
  });
});

describe('what an error says of itself', () => {
  it.each([
    [{ status: 503 }, { status: 503 }],
    [{ statusCode: 503 }, { status: 503 }],
    [{ status: '503', category: 7, retryAfterMs: '1' }, {}],
    [{ category: 'timeout' }, { category: 'timeout' }],
    [{ retryAfterMs: 0 }, { retryAfterMs: 0 }],
    [{ retryAfterMs: 1_500 }, { retryAfterMs: 1_500 }],
    [{ retryAfterMs: -1 }, {}],
    [{ retryAfterMs: Number.NaN }, {}],
    [{ retryAfterMs: Number.POSITIVE_INFINITY }, {}],
    [{ retryAfterMs: 400 * 86_400_000 }, {}],
    [null, {}],
    [undefined, {}],
    ['text', {}],
  ])('%j: %j', (error, facts) => {
    expect(failureOf(error)).toEqual(facts);
  });
});
