import { SDKError } from '@lousho/core/contract';

/** The error with which a promise rejects; fails the test when it does not. */
export async function rejection(
  promise: Promise<unknown>,
): Promise<Error & { code?: string; detail?: string }> {
  try {
    await promise;
  } catch (error) {
    return error as Error;
  }
  throw new Error('expected a rejection, got none');
}

/** The code with which a promise rejects; `none` when it does not. */
export async function codeOf(promise: Promise<unknown>): Promise<string> {
  try {
    await promise;
    return 'none';
  } catch (error) {
    return error instanceof SDKError ? error.code : `uncoded: ${String(error)}`;
  }
}
