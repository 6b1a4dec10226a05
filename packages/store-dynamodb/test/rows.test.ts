import { PutItemCommand, ScanCommand } from '@aws-sdk/client-dynamodb';
import { describe, expect, it } from 'vitest';
import { checkpoint, clockOf, type Opened, open, user } from './support/fixtures.js';

const ID = 'refund-42';
const TTL = 30_000;
const DAY = 86_400_000;

async function names({ faults, tableName }: Opened): Promise<string[]> {
  const { Items: items = [] } = await faults.client.send(new ScanCommand({ TableName: tableName }));
  return items.map(({ sk }) => sk?.S ?? '');
}

describe('rows', () => {
  it('a save under a lease is two requests, and appends what is new', async () => {
    const opened = open();
    const { checkpoints, faults } = opened;
    await checkpoints.acquireLease(ID, 'worker-a', TTL);
    const messages = [user('one')];
    await checkpoints.saveIfLeased(ID, checkpoint({ revision: 1, messages }), 'worker-a');
    for (let revision = 2; revision <= 60; revision++) {
      messages.push(user(`message ${revision}`));
      faults.reset();
      const save = checkpoint({ revision, messages: [...messages] });
      expect(await checkpoints.saveIfLeased(ID, save, 'worker-a', { unchangedMessages: revision - 1 })).toBe(
        true,
      );
      expect(faults.requests.map(({ operation }) => operation)).toEqual(['BatchWriteItem', 'UpdateItem']);
      const [batch] = Object.values(faults.requests[0]?.input.RequestItems as Record<string, unknown[]>);
      expect(batch?.length).toBe(revision > 51 ? 3 : 2);
    }
    const left = await names(opened);
    expect(left.filter((name) => name.startsWith('m#'))).toHaveLength(60);
    expect(left.filter((name) => name.startsWith('s#'))).toHaveLength(51);
    expect(await checkpoints.history(ID)).toHaveLength(50);
  });

  it('rows of a writer that was fenced between its rows and its commit are never seen, and swept', async () => {
    const clock = clockOf();
    const a = open({ clock });
    const other = open({ clock, tableName: a.tableName });
    await a.checkpoints.acquireLease(ID, 'worker-a', TTL);
    await a.checkpoints.saveIfLeased(ID, checkpoint({ revision: 1 }), 'worker-a');
    await other.checkpoints.readLease(ID);
    clock.advance(TTL);
    const own = checkpoint({ revision: 2, messages: [user('Refund order 42'), user('by b')] });
    a.faults.fault = async ({ operation }, next) => {
      const reply = await next();
      if (operation === 'BatchWriteItem') {
        a.faults.fault = (_request, go) => go();
        expect(await other.checkpoints.acquireLease(ID, 'worker-b', TTL)).toBeTruthy();
        await other.checkpoints.saveIfLeased(ID, own, 'worker-b', { unchangedMessages: 1 });
      }
      return reply;
    };
    const late = checkpoint({ revision: 2, messages: [user('Refund order 42'), user('by a')] });
    expect(await a.checkpoints.saveIfLeased(ID, late, 'worker-a', { unchangedMessages: 1 })).toBe(false);
    for (const { checkpoints } of [a, other]) {
      expect(await checkpoints.load(ID)).toEqual(own);
      expect((await checkpoints.history(ID)).map((entry) => entry.checkpoint.messages.length)).toEqual([
        2, 1,
      ]);
    }
    await a.store.close();
    expect((await names(other)).filter((name) => name.startsWith('m#'))).toHaveLength(2);
  });

  it('superseded messages and dropped saves are deleted once no kept save sees them', async () => {
    const opened = open({ historyLimit: 3 });
    const { checkpoints, store } = opened;
    for (let revision = 1; revision <= 10; revision++) {
      const messages = [user('same'), user(`changed ${revision}`), ...(revision % 2 ? [user('odd')] : [])];
      await checkpoints.save(ID, checkpoint({ revision, messages }));
    }
    expect((await checkpoints.history(ID)).map((entry) => entry.checkpoint.messages[1]?.content)).toEqual([
      'changed 10',
      'changed 9',
      'changed 8',
    ]);
    await store.close();
    const left = await names(opened);
    expect(left.filter((name) => name.startsWith('m#00000000'))).toHaveLength(1);
    expect(left.filter((name) => name.startsWith('m#00000001'))).toHaveLength(3);
    expect(left.filter((name) => name.startsWith('m#00000002')).length).toBeLessThanOrEqual(2);
    expect(left.filter((name) => name.startsWith('s#')).length).toBeLessThanOrEqual(4);
  });

  it('the record stays small however many processes save', async () => {
    const { tableName, faults } = open();
    const messages = Array.from({ length: 20 }, (_, index) => user(`message ${index}`));
    for (let revision = 1; revision <= 230; revision++) {
      const { store, checkpoints } = open({ tableName, historyLimit: 5, createTable: revision === 1 });
      await checkpoints.save(ID, checkpoint({ revision, messages }), { unchangedMessages: 20 });
      await store.close();
    }
    const { Items: items = [] } = await faults.client.send(new ScanCommand({ TableName: tableName }));
    const head = items.find(({ sk }) => sk?.S === 'head');
    expect(head?.state?.S?.length).toBeLessThan(4_000);
    expect(items.filter(({ sk }) => sk?.S?.startsWith('m#')).length).toBeLessThanOrEqual(40);
    const reader = open({ tableName }).checkpoints;
    expect((await reader.load(ID))?.messages).toEqual(messages);
    expect((await reader.history(ID)).map((entry) => entry.checkpoint.messages.length)).toEqual(
      Array(5).fill(20),
    );
  });

  it('concurrent plain saves of one id are all kept, one after the other', async () => {
    const first = open();
    await first.checkpoints.save(ID, checkpoint());
    const clients = [first, open({ tableName: first.tableName }), open({ tableName: first.tableName })];
    await Promise.all(
      Array.from({ length: 12 }, (_, n) =>
        (clients[n % 3] as Opened).checkpoints.save(
          ID,
          checkpoint({ messages: [user(`by ${n}`)], metadata: { n } }),
        ),
      ),
    );
    const history = await first.checkpoints.history(ID);
    expect(history).toHaveLength(13);
    for (const { checkpoint: kept } of history.slice(0, 12)) {
      expect(kept.messages).toEqual([user(`by ${kept.metadata?.n}`)]);
    }
  });

  it('a prune removes what crashed writers and vanished records left behind, and nothing that is seen', async () => {
    const clock = clockOf();
    const opened = open({ clock });
    const { checkpoints, faults, store, tableName } = opened;
    await checkpoints.save(ID, checkpoint({ revision: 1, messages: [user('a'), user('b')] }));
    await checkpoints.save(ID, checkpoint({ revision: 2, messages: [user('a'), user('c')] }));
    const at = { N: String(clock.now()) };
    const strays = [
      [`c#${ID}`, 'm#00000001#0000000002#stray#00000'],
      [`c#${ID}`, 's#0000000002#stray#00000'],
      ['c#gone', 'm#00000000#0000000001#stray#00000'],
      ['a#gone', 'x#stray#00000'],
    ] as const;
    for (const [pk, sk] of strays) {
      const Item = { pk: { S: pk }, sk: { S: sk }, t: { S: '"stray"' }, n: { N: '1' }, at };
      await faults.client.send(new PutItemCommand({ TableName: tableName, Item }));
    }
    expect((await checkpoints.load(ID))?.messages).toEqual([user('a'), user('c')]);
    expect(await checkpoints.history(ID)).toHaveLength(2);
    clock.advance(2 * DAY);
    expect(await store.prune({ olderThanMs: DAY })).toEqual({ checkpoints: 0, approvals: 0, sessions: 0 });
    expect((await names(opened)).filter((name) => name.includes('stray'))).toEqual([]);
    expect(await checkpoints.history(ID)).toHaveLength(2);
    expect((await checkpoints.load(ID))?.messages).toEqual([user('a'), user('c')]);
  });
});
