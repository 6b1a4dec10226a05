/** Where a connection leads. There is no place for a password: an error text must not have one. */
export interface Address {
  readonly user?: string | undefined;
  readonly host?: string | undefined;
  readonly port?: number | string | undefined;
  readonly database?: string | number | undefined;
}

/** `app@db:5432/jobs`, as far as it is known. */
export function addressOf({ user, host, port, database }: Address): string {
  const login = user ? `${user}@` : '';
  const server = `${host ?? 'unknown host'}${port === undefined ? '' : `:${port}`}`;
  return `${login}${server}${database === undefined ? '' : `/${database}`}`;
}

/** What an error says, also one that only stands for others: a name with two addresses is refused twice, without a message. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.message !== '' || !('errors' in error) || !Array.isArray(error.errors)) return error.message;
  return [...new Set(error.errors.map(reasonOf))].join('; ');
}
