import { expect, it } from 'vitest';
import { open, user } from './support/fixtures.js';

const ID = 'refund-42';

it('a commit that read before a delete is refused after it, and the deleted transcript stays away', async () => {
  const { store, faults, tableName } = open();
  const other = open({ tableName });
  expect(await store.sessions.saveIf(ID, 0, [user('Refund order 42')])).toBe(true);
  let deletes = 0;
  faults.fault = async ({ operation }, next) => {
    // The commit has read the record and is about to write.
    if (operation === 'UpdateItem' && deletes++ === 0) await other.store.sessions.delete(ID);
    return next();
  };
  expect(await store.sessions.saveIf(ID, 1, [user('Refund order 42'), user('And 43')])).toBe(false);
  expect(deletes).toBe(1);
  expect(await store.sessions.load(ID)).toBeNull();
});
