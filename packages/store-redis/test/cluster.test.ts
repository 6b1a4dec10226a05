import { Cluster } from 'ioredis';
import { expect, onTestFinished, test } from 'vitest';
import { step, user } from './support/checkpoint.js';
import { client, openStore, privateServer } from './support/servers.js';
import { until } from './support/until.js';

test('A22 on three primaries 500 ids are saved, listed, leased and pruned', async () => {
  const server = await privateServer({ cluster: true });
  const cluster = new Cluster([{ host: '127.0.0.1', port: server.port }]);
  onTestFinished(() => cluster.disconnect());
  const store = openStore(cluster);
  const { checkpoints, approvals, sessions } = store;
  const ids = Array.from({ length: 500 }, (_, at) => `job-${String(at).padStart(3, '0')}`);
  const leases = ids.map((sessionId) => ({ sessionId, owner: `worker-of-${sessionId}` }));
  await Promise.all(
    leases.map(async ({ sessionId, owner }) => {
      expect(await checkpoints.acquireLease(sessionId, owner, 60_000)).toBeTruthy();
      await expect(checkpoints.saveIfLeased(sessionId, step(1, sessionId), owner)).resolves.toBe(true);
      const changed = { ...step(2, sessionId), messages: [user('changed'), user('new')] };
      expect(await checkpoints.saveIfLeased(sessionId, changed, owner)).toBe(true);
    }),
  );
  expect((await checkpoints.listPending()).map(({ sessionId }) => sessionId)).toEqual(ids);
  expect(await checkpoints.renewLeases(leases, 60_000)).toEqual(ids.map(() => true));
  expect(await checkpoints.history('job-000')).toHaveLength(2);
  await approvals.save(
    { id: 'ask-1', toolCallId: 'c', toolName: 't', args: {}, createdAt: '2030-01-01T00:00:00Z' },
    {},
  );
  expect(await approvals.decide('ask-1', { id: 'ask-1', approved: true })).toBe('decided');
  expect(await sessions.saveIf('chat-1', 0, [user('one')])).toBe(true);
  await Promise.all(
    leases.map(async ({ sessionId, owner }) => {
      await checkpoints.saveIfLeased(sessionId, { ...step(3, sessionId), status: 'finished' }, owner);
      await checkpoints.releaseLease(sessionId, owner);
    }),
  );
  expect(await checkpoints.listPending()).toEqual([]);
  await until(async () => {
    await store.prune({ olderThanMs: 0 });
    return (await checkpoints.list()).length === 0;
  });
  await keysOfOneIdShareASlot(server.nodes.map(({ port }) => port));
}, 120_000);

async function keysOfOneIdShareASlot(ports: readonly number[]): Promise<void> {
  const slots = new Map<string, Set<unknown>>();
  for (const port of ports) {
    const node = client(`redis://127.0.0.1:${port}`);
    for (const key of await node.keys('*')) {
      const tag = /\{(.*?)\}/.exec(key)?.[1] ?? key;
      slots.set(tag, (slots.get(tag) ?? new Set()).add(await node.cluster('KEYSLOT', key)));
    }
  }
  expect(slots.size).toBeGreaterThan(100);
  expect([...slots.values()].every((ofOneId) => ofOneId.size === 1)).toBe(true);
}
