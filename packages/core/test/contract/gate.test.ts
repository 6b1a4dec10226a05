import { Gate, SDKError } from '@lousho/core/contract';
import { describe, expect, it } from 'vitest';

describe('Gate', () => {
  it('hands on what the work answers, and starts it in the turn of the call', async () => {
    const gate = new Gate({ name: 'TestStore' });
    let hasStarted = false;
    const running = gate.run('load', async () => {
      hasStarted = true;
      return 42;
    });
    expect(hasStarted).toBe(true);
    expect(await running).toBe(42);
  });

  it('refuses after close, naming store and call, without starting the work', async () => {
    const gate = new Gate({ name: 'SqliteStore(./jobs.db)' });
    expect([gate.close(), gate.close()]).toEqual([true, false]);
    let hasStarted = false;
    const running = gate.run('save', async () => {
      hasStarted = true;
    });
    await expect(running).rejects.toMatchObject({
      code: 'LOUSHO_STORE_CLOSED',
      detail: 'SqliteStore(./jobs.db): save() after close()',
    });
    expect(hasStarted).toBe(false);
  });

  it('lets work that was under way at close finish', async () => {
    const gate = new Gate({ name: 'TestStore' });
    let finish = (_: string) => {};
    const running = gate.run('save', () => new Promise<string>((resolve) => (finish = resolve)));
    gate.close();
    finish('done');
    expect(await running).toBe('done');
  });

  it('asks mapError for a code, and gives one itself to what it does not know', async () => {
    const mapError = (error: unknown, operation: string) =>
      error === 'full' ? new SDKError('LOUSHO_STORAGE_FULL', `${operation}: full`) : undefined;
    const gate = new Gate({ name: 'TestStore', mapError });
    await expect(gate.run('save', () => Promise.reject('full'))).rejects.toMatchObject({
      code: 'LOUSHO_STORAGE_FULL',
      detail: 'save: full',
    });
    const cause = new TypeError('x is undefined');
    await expect(gate.run('save', () => Promise.reject(cause))).rejects.toMatchObject({
      code: 'LOUSHO_STORAGE_FAILED',
      detail: 'TestStore: save() failed: x is undefined',
      cause,
    });
  });
});
