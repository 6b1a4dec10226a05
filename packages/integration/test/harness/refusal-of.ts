import type { SDKError } from '@lousho/core/contract';

/** The code with which a call is refused; `none` when it is not. */
export async function refusalOf(call: () => Promise<unknown>): Promise<string> {
  const error = await errorOf(call);
  return error === undefined ? 'none' : (error.code ?? `an error without a code: ${error.message}`);
}

export async function errorOf(call: () => Promise<unknown>): Promise<Partial<SDKError> | undefined> {
  try {
    await call();
    return undefined;
  } catch (error) {
    return error as Partial<SDKError>;
  }
}
