/** `error.type`: the code of an error that has one, otherwise its name. Never its message. */
export function errorType(error: unknown): string {
  const { code, name } = (error ?? {}) as { readonly code?: unknown; readonly name?: unknown };
  if (typeof code === 'string' && code !== '') return code;
  return error instanceof Error && typeof name === 'string' && name !== '' ? name : '_OTHER';
}
