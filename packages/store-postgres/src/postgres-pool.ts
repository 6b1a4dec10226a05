/** A connection as `pg` lends it. */
export interface PostgresClient {
  query(query: { readonly text: string; readonly values?: unknown[] }): Promise<{ readonly rows: unknown[] }>;
  release(destroy?: boolean): void;
  on(event: 'error', listener: (error: Error) => void): unknown;
  removeListener(event: 'error', listener: (error: Error) => void): unknown;
}

/** What this package uses of a `Pool` of `pg`. */
export interface PostgresPool {
  connect(): Promise<PostgresClient>;
  on(event: 'error', listener: (error: Error) => void): unknown;
  removeListener(event: 'error', listener: (error: Error) => void): unknown;
  end(): Promise<void>;
}

export function isPool(value: unknown): value is PostgresPool {
  return typeof value === 'object' && value !== null && typeof (value as PostgresPool).connect === 'function';
}
