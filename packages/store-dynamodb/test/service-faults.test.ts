import { ScanCommand } from '@aws-sdk/client-dynamodb';
import { describe, expect, it } from 'vitest';
import { serviceError } from './support/faulty-client.js';
import { checkpoint, clockOf, open, user } from './support/fixtures.js';

const ID = 'refund-42';

describe('A51: conflicts and throttling are no lost lease', () => {
  it.each([
    ['ThrottlingException', {}],
    ['ProvisionedThroughputExceededException', {}],
    ['RequestLimitExceeded', {}],
    ['TransactionConflictException', {}],
    [
      'TransactionCanceledException',
      { CancellationReasons: [{ Code: 'None' }, { Code: 'TransactionConflict' }] },
    ],
    ['TransactionCanceledException', { CancellationReasons: [{ Code: 'ThrottlingError' }] }],
    ['InternalServerError', { $metadata: { httpStatusCode: 500 } }],
  ])('%s is tried again: the save is stored once and the lease kept', async (name, extra) => {
    const { checkpoints, faults } = open();
    await checkpoints.acquireLease(ID, 'worker-a', 30_000);
    await checkpoints.saveIfLeased(ID, checkpoint({ revision: 1 }), 'worker-a');
    let failures = 0;
    faults.fault = async (_request, next) => {
      failures += 1;
      if (failures % 3 !== 0) throw serviceError(name, extra);
      return next();
    };
    await expect(checkpoints.saveIfLeased(ID, checkpoint({ revision: 2 }), 'worker-a')).resolves.toBe(true);
    await expect(checkpoints.renewLease(ID, 'worker-a', 30_000)).resolves.toBe(true);
    await expect(checkpoints.acquireLease(ID, 'worker-a', 30_000)).resolves.toBeTruthy();
    expect(failures).toBeGreaterThan(6);
    faults.reset();
    expect((await checkpoints.history(ID)).map(({ checkpoint: { revision } }) => revision)).toEqual([2, 1]);
  });

  it('throttling beyond the deadline is LOUSHO_STORAGE_BUSY, and never false', async () => {
    const { checkpoints, faults } = open({ deadlineMs: 300 });
    await checkpoints.acquireLease(ID, 'worker-a', 30_000);
    faults.fault = async () => {
      throw serviceError('ThrottlingException');
    };
    for (const call of [
      () => checkpoints.saveIfLeased(ID, checkpoint({ revision: 1 }), 'worker-a'),
      () => checkpoints.renewLease(ID, 'worker-a', 30_000),
      () => checkpoints.acquireLease(ID, 'worker-a', 30_000),
    ]) {
      const startedAt = performance.now();
      await expect(call()).rejects.toMatchObject({ code: 'LOUSHO_STORAGE_BUSY', retryable: true });
      expect(performance.now() - startedAt).toBeLessThan(1_500);
    }
  });

  it('a cancellation whose condition failed is a condition that failed', async () => {
    const { checkpoints, faults } = open();
    await checkpoints.acquireLease(ID, 'worker-a', 30_000);
    faults.fault = async ({ operation }, next) => {
      if (operation !== 'UpdateItem') return next();
      throw serviceError('TransactionCanceledException', {
        CancellationReasons: [{ Code: 'ConditionalCheckFailed' }],
      });
    };
    expect(await checkpoints.renewLease(ID, 'worker-a', 30_000)).toBe(false);
  });
});

describe('lost replies', () => {
  it('a save whose reply was lost is stored once and answered true', async () => {
    const { checkpoints, faults } = open();
    await checkpoints.acquireLease(ID, 'worker-a', 30_000);
    for (let revision = 1; revision <= 3; revision++) {
      let isLost = false;
      faults.fault = async ({ operation }, next) => {
        const reply = await next();
        if (operation !== 'UpdateItem' || isLost) return reply;
        isLost = true;
        throw Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' });
      };
      expect(await checkpoints.saveIfLeased(ID, checkpoint({ revision }), 'worker-a')).toBe(true);
      expect(isLost).toBe(true);
    }
    faults.reset();
    expect(await checkpoints.history(ID)).toHaveLength(3);
  });

  it('an approval and a commit whose replies were lost are answered as they were made', async () => {
    const { store, faults } = open();
    await store.approvals.save(
      { id: 'a', toolCallId: 'c', toolName: 't', args: {}, createdAt: '2030-01-01T00:00:00.000Z' },
      {},
    );
    const loseFirst = () => {
      let isLost = false;
      faults.fault = async ({ operation }, next) => {
        const reply = await next();
        if (operation !== 'UpdateItem' || isLost) return reply;
        isLost = true;
        throw Object.assign(new Error('timeout'), { name: 'TimeoutError' });
      };
    };
    loseFirst();
    expect(await store.approvals.decide('a', { id: 'a', approved: true })).toBe('decided');
    expect(await store.approvals.decide('a', { id: 'a', approved: false })).toBe('already-decided');
    loseFirst();
    expect(await store.sessions.saveIf('chat', 0, [user('one')])).toBe(true);
    expect((await store.sessions.load('chat'))?.revision).toBe(1);
  });

  it('a save of which nothing is known at the deadline is LOUSHO_STORE_OUTCOME_UNKNOWN', async () => {
    const { checkpoints, faults } = open({ deadlineMs: 300 });
    await checkpoints.acquireLease(ID, 'worker-a', 30_000);
    faults.fault = async ({ operation }, next) => {
      if (operation === 'UpdateItem') throw Object.assign(new Error('timeout'), { name: 'TimeoutError' });
      return next();
    };
    await expect(checkpoints.saveIfLeased(ID, checkpoint({ revision: 1 }), 'worker-a')).rejects.toMatchObject(
      {
        code: 'LOUSHO_STORE_OUTCOME_UNKNOWN',
        retryable: true,
      },
    );
  });
});

describe('A52: reads are strongly consistent', () => {
  it('a replica that serves the state before unless asked for the latest is never believed', async () => {
    const { checkpoints, store, faults } = open();
    await checkpoints.acquireLease(ID, 'worker-a', 30_000);
    await checkpoints.saveIfLeased(ID, checkpoint({ revision: 1 }), 'worker-a');
    // Without ConsistentRead there is nothing yet: the oldest state of all. The index has no other reads, and may lag.
    faults.fault = async ({ operation, input }, next) => {
      if (operation === 'GetItem' && !input.ConsistentRead) return { $metadata: {} };
      if ((operation === 'Query' || operation === 'Scan') && !input.ConsistentRead && !input.IndexName) {
        return { Items: [], $metadata: {} };
      }
      if (operation === 'BatchGetItem') {
        const requests = Object.values(input.RequestItems as Record<string, { ConsistentRead?: boolean }>);
        if (requests.some(({ ConsistentRead: isConsistent }) => !isConsistent))
          return { Responses: {}, $metadata: {} };
      }
      return next();
    };
    const second = checkpoint({ revision: 2, messages: [user('Refund order 42'), user('two')] });
    expect(await checkpoints.saveIfLeased(ID, second, 'worker-a', { unchangedMessages: 1 })).toBe(true);
    expect(await checkpoints.load(ID)).toEqual(second);
    expect(await checkpoints.history(ID)).toHaveLength(2);
    expect(await checkpoints.list()).toMatchObject([{ checkpoint: { revision: 2 } }]);
    expect((await checkpoints.readLease(ID))?.owner).toBe('worker-a');
    await store.sessions.saveIf('chat', 0, [user('one')]);
    expect((await store.sessions.load('chat'))?.revision).toBe(1);
    expect(await store.prune({ olderThanMs: 1 })).toMatchObject({ checkpoints: 0 });
  });

  it('an index that lags lists nothing that is not so', async () => {
    const { checkpoints, faults } = open();
    for (const sessionId of ['a', 'b', 'c'])
      await checkpoints.save(sessionId, checkpoint({ sessionId, revision: 1 }));
    await checkpoints.save('b', checkpoint({ sessionId: 'b', revision: 2, status: 'finished' }));
    await checkpoints.delete('c');
    faults.fault = async ({ operation, input }, next) => {
      if (operation !== 'Query' || input.IndexName === undefined) return next();
      const isPending = JSON.stringify(input.ExpressionAttributeValues).includes('"p"');
      const ids = isPending ? ['a', 'b', 'c', 'gone'] : [];
      return { Items: ids.map((k) => ({ k: { S: k } })), $metadata: {} };
    };
    expect(await checkpoints.listPending()).toMatchObject([{ sessionId: 'a' }]);
    expect((await checkpoints.list()).map(({ sessionId }) => sessionId)).toEqual(['a', 'b']);
  });
});

describe('A53: what the service leaves unprocessed is sent again', () => {
  it('every item of a save is written and read, and a delete of 200 saves leaves nothing', async () => {
    const { checkpoints, faults, tableName, store } = open({ historyLimit: 250 });
    let left = 0;
    faults.fault = async ({ operation, input }, next) => {
      if (operation !== 'BatchWriteItem' && operation !== 'BatchGetItem') return next();
      const requests = input.RequestItems as Record<string, unknown>;
      const isWrite = operation === 'BatchWriteItem';
      const all = (
        isWrite ? requests[tableName] : (requests[tableName] as { Keys: unknown[] }).Keys
      ) as unknown[];
      const kept = all.filter(() => Math.random() > 1 / 3);
      const rest = all.filter((one) => !kept.includes(one));
      left += rest.length;
      if (kept.length === 0) {
        return isWrite
          ? { UnprocessedItems: { [tableName]: rest } }
          : { UnprocessedKeys: { [tableName]: { Keys: rest } } };
      }
      const request = isWrite ? kept : { Keys: kept, ConsistentRead: true };
      const reply = (await next({ RequestItems: { [tableName]: request } })) as object;
      if (rest.length === 0) return reply;
      return isWrite
        ? { ...reply, UnprocessedItems: { [tableName]: rest } }
        : { ...reply, UnprocessedKeys: { [tableName]: { Keys: rest } } };
    };
    const messages = Array.from({ length: 60 }, (_, index) => user(`message ${index}`));
    await checkpoints.save(ID, checkpoint({ revision: 1, messages }));
    await expect(checkpoints.load(ID)).resolves.toMatchObject({ messages });
    const ids = Array.from({ length: 40 }, (_, index) => `run-${index}`).sort();
    for (const sessionId of ids) await checkpoints.save(sessionId, checkpoint({ sessionId, revision: 1 }));
    expect((await checkpoints.listPending()).map(({ sessionId }) => sessionId)).toEqual([ID, ...ids]);
    for (let revision = 2; revision <= 20; revision++) {
      await checkpoints.save(ID, checkpoint({ revision, messages }), { unchangedMessages: 60 });
    }
    faults.reset();
    for (let revision = 21; revision <= 200; revision++) {
      await checkpoints.save(ID, checkpoint({ revision, messages }), { unchangedMessages: 60 });
    }
    expect(await checkpoints.history(ID)).toHaveLength(200);
    expect(left).toBeGreaterThan(10);
    await checkpoints.delete(ID);
    await store.close();
    const { Items: items = [] } = await faults.client.send(new ScanCommand({ TableName: tableName }));
    const own = items.filter(({ pk }) => pk?.S === `c#${ID}`);
    expect(own.map(({ sk }) => sk?.S)).toEqual(['head']);
  });
});

describe('A55: what comes in pages', () => {
  it('is read to the last one, with one item a page and empty pages in between', async () => {
    const { checkpoints, store, faults } = open();
    let emptyPages = 0;
    const answeredEmpty = new Set<string>();
    faults.fault = async ({ operation, input }, next) => {
      if (operation !== 'Query' && operation !== 'Scan') return next();
      const start = JSON.stringify(input.ExclusiveStartKey);
      if (start !== undefined && !answeredEmpty.has(start)) {
        answeredEmpty.add(start);
        emptyPages += 1;
        return { Items: [], LastEvaluatedKey: input.ExclusiveStartKey, $metadata: {} };
      }
      return next({ ...input, Limit: 1 });
    };
    const messages = [user('one'), user('two'), user('three')];
    for (const sessionId of ['a', 'b', 'c']) {
      for (const revision of [1, 2, 3]) {
        await checkpoints.save(
          sessionId,
          checkpoint({ sessionId, revision, messages: messages.slice(0, revision) }),
        );
      }
    }
    await checkpoints.save('c', checkpoint({ sessionId: 'c', revision: 4, messages, status: 'finished' }));
    await expect(checkpoints.load('a')).resolves.toMatchObject({ messages });
    await expect(checkpoints.history('a')).resolves.toHaveLength(3);
    await expect(checkpoints.list()).resolves.toMatchObject([
      { sessionId: 'a' },
      { sessionId: 'b' },
      { sessionId: 'c' },
    ]);
    await expect(checkpoints.listPending()).resolves.toMatchObject([{ sessionId: 'a' }, { sessionId: 'b' }]);
    await checkpoints.delete('b');
    await expect(checkpoints.history('b')).resolves.toEqual([]);
    await new Promise((resolve) => setTimeout(resolve, 2));
    await expect(store.prune({ olderThanMs: 1 })).resolves.toMatchObject({ checkpoints: 1 });
    await expect(checkpoints.list()).resolves.toMatchObject([{ sessionId: 'a' }]);
    expect(emptyPages).toBeGreaterThan(10);
  });
});

describe('A50: the TTL removes late, or never', () => {
  it('a finished run past its retention is there as long as the service lets it, and a lease needs no TTL', async () => {
    const clock = clockOf();
    const { checkpoints, faults, tableName } = open({ clock, retentionSeconds: 60 });
    await checkpoints.acquireLease(ID, 'worker-a', 30_000);
    await checkpoints.saveIfLeased(ID, checkpoint({ revision: 1, status: 'finished' }), 'worker-a');
    const head = async () =>
      (await faults.client.send(new ScanCommand({ TableName: tableName }))).Items?.find(
        ({ sk }) => sk?.S === 'head',
      );
    expect((await head())?.x?.N).toBe(String(Date.parse('2030-01-01T00:01:00.000Z') / 1_000));
    clock.advance(3_600_000);
    expect(await checkpoints.load(ID)).not.toBeNull();
    expect(await checkpoints.list()).toHaveLength(1);
    expect(await checkpoints.acquireLease(ID, 'worker-b', 30_000)).toBeTruthy();
    expect((await head())?.x, 'a leased record is not removed').toBeUndefined();
    await checkpoints.releaseLease(ID, 'worker-b');
    expect((await head())?.x?.N, 'one that was only looked at is').toBe(
      String(Date.parse('2030-01-01T00:01:00.000Z') / 1_000),
    );
    expect(await checkpoints.acquireLease(ID, 'worker-b', 30_000)).toBeTruthy();
    await checkpoints.saveIfLeased(ID, checkpoint({ revision: 2 }), 'worker-b');
    await checkpoints.releaseLease(ID, 'worker-b');
    expect((await head())?.x, 'a run that goes on is not removed').toBeUndefined();
  });
});
