import { inspect } from 'node:util';
import { type ErrorCode, SDKError } from '@lousho/core/contract';
import { expect, it } from 'vitest';
import { anchorsOf, readPage } from '../../docs/support/pages.js';
import { whatToDo } from './when-it-does-not-start.js';

/** One thing that is wrong with a storage, and what its user must be told. */
export interface StoreFault {
  /** As it stands in the table of docs/guides/operating.md. */
  readonly fault: string;
  readonly code: ErrorCode;
  /** Whether the same call may succeed later. */
  readonly retryable: boolean;
  /** Makes it happen, and resolves with what came out of the store. */
  readonly provoke: () => Promise<Provoked>;
}

export interface Provoked {
  readonly thrown: unknown;
  /** The settings that the text must name: host, port, path, table. */
  readonly names: readonly (string | number)[];
  /** What must stand nowhere, also not in a cause. */
  readonly secrets?: readonly string[];
}

/** One test per fault: the code, the setting in the text, what to do, the page, and no secret anywhere. */
export function testFaults(store: string, faults: readonly StoreFault[]): void {
  const anchors = anchorsOf(readPage('docs/errors.md'));
  it.each(faults.map((fault) => [fault.fault, fault.code, fault] as const))(
    `${store}: %s is %s`,
    async (name, code, { retryable, provoke }) => {
      const { thrown, names, secrets = [] } = await provoke();
      expect(thrown).toBeInstanceOf(SDKError);
      const error = thrown as SDKError;
      expect(error).toMatchObject({ code, retryable });
      for (const setting of names) expect(error.detail).toContain(String(setting));
      expect(error.hint).toBe(whatToDo(store, name, code));
      expect(error.message).toContain(error.hint);
      expect(error.message).toContain(error.docs);
      expect(anchors).toContain(error.docs.split('#')[1]);
      for (const secret of secrets) expect(everythingOf(error)).not.toContain(secret);
    },
  );
}

/** What a log, a debugger or a serializer may show of an error. */
function everythingOf(error: SDKError): string {
  return [
    error.message,
    error.detail,
    error.hint,
    String(error),
    error.stack,
    JSON.stringify({ ...error }),
    inspect(error, { depth: null, showHidden: true }),
  ].join('\n');
}

/** What the call was rejected with, or threw. */
export async function thrownBy(call: () => unknown): Promise<unknown> {
  try {
    await call();
  } catch (error) {
    return error;
  }
  throw new Error('expected an error, got none');
}
