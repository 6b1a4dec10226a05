import { expect, test } from 'vitest';
import { checkpoint, step, user } from './support/checkpoint.js';
import { client, openStore, privateServer } from './support/servers.js';

const APPROVAL = {
  id: 'ask-1',
  toolCallId: 'call-1',
  toolName: 'refund',
  args: {},
  createdAt: '2030-01-01T00:00:00.000Z',
};

/** One call of every kind, with what it answers. */
async function everyCall(
  { checkpoints, approvals, sessions, prune }: ReturnType<typeof openStore> & object,
  between: () => Promise<unknown>,
): Promise<unknown[]> {
  const calls: (() => Promise<unknown>)[] = [
    async () => (await checkpoints.acquireLease('refund-42', 'worker-a', 30_000)) !== false,
    () => checkpoints.saveIfLeased('refund-42', step(1), 'worker-a'),
    () => checkpoints.renewLease('refund-42', 'worker-a', 30_000),
    () => checkpoints.saveIfLeased('refund-42', step(2), 'worker-a', { unchangedMessages: 1 }),
    async () => (await checkpoints.load('refund-42'))?.revision,
    async () => (await checkpoints.history('refund-42')).length,
    async () => (await checkpoints.listPending()).length,
    async () => (await checkpoints.readLease('refund-42'))?.owner,
    () => checkpoints.releaseLease('refund-42', 'worker-a'),
    () => approvals.save(APPROVAL, {}),
    async () => (await approvals.list()).length,
    () => approvals.decide('ask-1', { id: 'ask-1', approved: true }),
    () => sessions.saveIf('chat-1', 0, [user('one')]),
    () => sessions.saveIf('chat-1', 1, [user('one'), user('two')]),
    async () => (await sessions.load('chat-1'))?.revision,
    () => checkpoints.delete('refund-42'),
    () => checkpoints.load('refund-42'),
    () => sessions.delete('chat-1'),
    () => approvals.delete('ask-1'),
    () => prune.call(undefined as never, { olderThanMs: 0 }),
  ];
  const answers: unknown[] = [];
  for (const call of calls) {
    await between();
    answers.push(await call());
  }
  return answers;
}

const ANSWERS = [
  true,
  true,
  true,
  true,
  2,
  2,
  1,
  'worker-a',
  undefined,
  undefined,
  1,
  'decided',
  true,
  true,
  2,
  undefined,
  null,
  undefined,
  undefined,
  { checkpoints: 0, approvals: 0, sessions: 0 },
];

test('A26 scripts that the server forgot between any two calls are sent again', async () => {
  const { url } = await privateServer();
  const store = openStore(url);
  const admin = client(url);
  await expect(everyCall(bound(store), () => admin.script('FLUSH'))).resolves.toEqual(ANSWERS);
});

test('A26 the same with a client that sends pipelines', async () => {
  const { url } = await privateServer();
  const store = openStore(client(url, { enableAutoPipelining: true }));
  const admin = client(url);
  await admin.script('FLUSH');
  const ids = Array.from({ length: 50 }, (_, at) => `job-${at}`);
  const saves = Promise.all(ids.map((id) => store.checkpoints.save(id, checkpoint({ sessionId: id }))));
  await expect(saves).resolves.toHaveLength(50);
  expect(await store.checkpoints.list()).toHaveLength(50);
});

test('A26 a server that is killed and started again between any two calls is not noticed', async () => {
  const server = await privateServer({ appendfsync: 'always' });
  const store = openStore(server.url);
  const restarted = async () => {
    await server.kill();
    await server.restart();
  };
  await expect(everyCall(bound(store), restarted)).resolves.toEqual(ANSWERS);
});

test('A24 payloads go through the scripts as they are', async () => {
  const { url } = await privateServer();
  const { checkpoints } = openStore(url);
  const businessState = { a: [], n: '9007199254740993', m: 9007199254740991, d: 1e21, e: '', z: -0 };
  const save = checkpoint({ businessState, messages: [user('\u0000 \ud800 \udc00\ud800 1 2\n3')] });
  await checkpoints.save('refund-42', save);
  const loaded = await checkpoints.load('refund-42');
  expect(loaded).toEqual(save);
  expect(JSON.stringify(loaded?.businessState)).toBe(JSON.stringify(businessState));
});

function bound(store: ReturnType<typeof openStore>) {
  const { approvals, checkpoints, sessions } = store;
  return { approvals, checkpoints, sessions, prune: store.prune.bind(store) } as typeof store;
}
