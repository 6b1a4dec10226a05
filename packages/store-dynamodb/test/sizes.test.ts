import { describe, expect, it } from 'vitest';
import { checkpoint, open, textOfBytes, user } from './support/fixtures.js';

describe('A49: an item holds 400 KB', () => {
  it.each([399, 400, 401, 5_000])('a message of %i KB of multi-byte text comes back', async (kb) => {
    const { checkpoints } = open();
    const save = checkpoint({
      revision: 1,
      messages: [user('first'), user(textOfBytes(kb * 1_024)), user('last')],
    });
    await checkpoints.save('refund-42', save);
    expect(await checkpoints.load('refund-42')).toEqual(save);
    expect((await checkpoints.history('refund-42'))[0]?.checkpoint).toEqual(save);
  });

  it('a large head, approval, decision and transcript come back, and are gone after a delete', async () => {
    const { store, checkpoints, faults, tableName } = open();
    const large = textOfBytes(900_000);
    const save = checkpoint({ revision: 1, businessState: large });
    await checkpoints.save('refund-42', save);
    await checkpoints.save('refund-42', { ...save, revision: 2 });
    expect(await checkpoints.load('refund-42')).toEqual({ ...save, revision: 2 });
    expect(await checkpoints.listPending()).toMatchObject([{ sessionId: 'refund-42' }]);
    const approval = {
      id: 'a-1',
      toolCallId: 'c',
      toolName: 't',
      args: { large },
      createdAt: '2030-01-01T00:00:00.000Z',
    };
    await store.approvals.save(approval, {});
    await store.approvals.decide('a-1', { id: 'a-1', approved: true, note: large });
    expect(await store.approvals.load('a-1')).toMatchObject({ approval, decision: { note: large } });
    await store.sessions.saveIf('chat', 0, [user(large)]);
    await store.sessions.saveIf('chat', 1, [user(large), user('more')]);
    expect((await store.sessions.load('chat'))?.messages).toHaveLength(2);
    await checkpoints.delete('refund-42');
    await store.approvals.delete('a-1');
    await store.sessions.delete('chat');
    await store.close();
    expect(await rowsLeft(faults, tableName)).toEqual(['c#refund-42 head', 't#chat head']);
  });

  it('a kill between the chunks and the commit leaves the old revision readable', async () => {
    const { checkpoints, faults, tableName } = open();
    const first = checkpoint({ revision: 1, messages: [user(textOfBytes(1_000_000))] });
    await checkpoints.save('refund-42', first);
    for (const written of [0, 1, 2, 3]) {
      let batches = 0;
      faults.fault = async ({ operation, input }, next) => {
        if (operation === 'UpdateItem') throw Object.assign(new Error('killed'), { name: 'Killed' });
        if (operation !== 'BatchWriteItem') return next();
        batches += 1;
        const requests = Object.values(input.RequestItems as Record<string, unknown[]>)[0] as unknown[];
        await next({ RequestItems: { [tableName]: requests.slice(0, written + 1) } });
        throw Object.assign(new Error('killed'), { name: 'Killed' });
      };
      const second = checkpoint({ revision: 2, messages: [user(textOfBytes(1_200_000))] });
      await expect(checkpoints.save('refund-42', second)).rejects.toMatchObject({
        code: 'LOUSHO_STORAGE_FAILED',
      });
      expect(batches).toBe(1);
      faults.reset();
      const reader = open({ tableName }).checkpoints;
      expect(await reader.load('refund-42')).toEqual(first);
      expect(await reader.history('refund-42')).toHaveLength(1);
    }
    const next = checkpoint({ revision: 2, messages: [user('short')] });
    await checkpoints.save('refund-42', next);
    expect(await checkpoints.load('refund-42')).toEqual(next);
  });
});

async function rowsLeft(faults: ReturnType<typeof open>['faults'], tableName: string): Promise<string[]> {
  const { ScanCommand } = await import('@aws-sdk/client-dynamodb');
  const { Items: items = [] } = await faults.client.send(new ScanCommand({ TableName: tableName }));
  return items.map(({ pk, sk }) => `${pk?.S} ${sk?.S}`).sort();
}
