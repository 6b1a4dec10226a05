import { expect, test } from 'vitest';
import { step } from './support/checkpoint.js';
import { recordRequests, sendAgain } from './support/requests.js';
import { client, openStore, privateServer, proxyTo } from './support/servers.js';
import { settled } from './support/settled.js';
import { until } from './support/until.js';

const ROUNDS = process.env.DEEP === '1' ? 1_000 : 20;
const INDEX = 'lousho:{*}:runs';
const HOUR_AND_MORE_US = 2 * 3_600 * 1_000_000;

async function setUp() {
  const server = await privateServer();
  const redis = client(server.url);
  const ids = async (which: 'all' | 'open') => redis.zrange(`${INDEX}:${which}`, 0, -1);
  const age = async (id: string) => {
    const given = Number(await redis.hget(`${INDEX}:given`, id));
    await redis.hset(`${INDEX}:given`, id, String(given - HOUR_AND_MORE_US));
  };
  return { server, redis, ids, age, checkpoints: openStore(server.url).checkpoints };
}

test('a finished run leaves the index of open ones, a deleted one both', async () => {
  const { checkpoints, ids } = await setUp();
  await checkpoints.save('a', step(1, 'a'));
  await checkpoints.save('b', step(1, 'b'));
  expect(await ids('open')).toEqual(['a', 'b']);
  await checkpoints.save('a', { ...step(2, 'a'), status: 'finished' });
  await until(async () => (await ids('open')).join() === 'b');
  await checkpoints.delete('b');
  await until(async () => (await ids('all')).join() === 'a');
  await checkpoints.save('a', step(3, 'a'));
  expect(await ids('open')).toEqual(['a']);
});

test('a crash between the index and the run leaves an id that is not listed, and is swept once it is old', async () => {
  const { server, checkpoints, ids, age } = await setUp();
  const proxy = await proxyTo(server);
  const crashing = openStore(proxy.through(server.url), { deadlineMs: 1_500 }).checkpoints;
  await crashing.load('warm-up');
  proxy.onChunk(({ bytes, direction }) =>
    direction === 'request' && bytes.includes('message 0') ? 'hold' : 'pass',
  );
  expect((await settled(crashing.save('a', step(1, 'a')))).code).toBe('LOUSHO_STORE_OUTCOME_UNKNOWN');
  expect(await ids('open')).toEqual(['a']);
  expect(await checkpoints.listPending()).toEqual([]);
  expect(await checkpoints.list()).toEqual([]);
  // It might still be about to be written.
  expect(await ids('open')).toEqual(['a']);
  await age('a');
  await checkpoints.listPending();
  await until(async () => (await ids('open')).length === 0);
});

test('a save that comes after its registration could be swept asks for another one', async () => {
  const { server, redis, checkpoints, ids } = await setUp();
  const proxy = await proxyTo(server);
  const slow = openStore(proxy.through(server.url)).checkpoints;
  await checkpoints.save('warm-up', step(1, 'warm-up'));
  const requests = recordRequests(proxy);
  await slow.save('a', step(1, 'a'));
  const [save] = requests.filter((bytes) => bytes.includes('evalsha') && bytes.includes('{a}:rows'));
  const registration = String(await redis.hget(`${INDEX}:given`, 'a'));
  const old = String(Number(registration) - HOUR_AND_MORE_US);
  await checkpoints.delete('a');
  await until(async () => !(await ids('all')).includes('a'));
  // The server has forgotten everything about the id, also which calls it had.
  await redis.del('lousho:{a}:lease');
  const late = Buffer.from(save?.toString().replace(registration, old) ?? '');
  expect(await sendAgain(server, late)).toContain('register');
  expect(await checkpoints.load('a')).toBeNull();
});

test('a removal from the index that comes late leaves a run that was begun again', async () => {
  const { server, checkpoints, ids } = await setUp();
  const proxy = await proxyTo(server);
  const slow = openStore(proxy.through(server.url)).checkpoints;
  for (const end of ['finish', 'delete']) {
    const requests = recordRequests(proxy);
    await slow.save('a', step(1, 'a'));
    if (end === 'delete') await slow.delete('a');
    else await slow.save('a', { ...step(2, 'a'), status: 'finished' });
    await until(async () => (await ids('open')).length === 0);
    const [removal] = requests.filter(
      (bytes) => /close|drop/.test(bytes.toString()) && bytes.includes('{*}'),
    );
    await checkpoints.save('a', step(3, 'a'));
    expect(await sendAgain(server, removal as Buffer)).toBe(':0\r\n');
    expect(await ids('open')).toEqual(['a']);
    expect(await checkpoints.listPending()).toHaveLength(1);
  }
});

test('a save whose registration is older than one that has ended asks for another one', async () => {
  const { server, checkpoints, ids } = await setUp();
  const proxy = await proxyTo(server);
  const slow = openStore(proxy.through(server.url), { deadlineMs: 200 }).checkpoints;
  const held: Buffer[] = [];
  await slow.load('warm-up');
  for (const end of ['finished', 'deleted']) {
    proxy.onChunk(({ bytes, direction }) => {
      if (direction !== 'request' || !bytes.includes(`{${end}}:rows`)) return 'pass';
      held.push(bytes);
      return 'drop';
    });
    await settled(slow.save(end, step(1, end)));
    await checkpoints.save(end, { ...step(1, end), status: 'finished' });
    if (end === 'deleted') await checkpoints.delete(end);
    // Its own registration is the newest one, and ends now: with it the id would leave the index of open runs.
    await until(async () => !(await ids('open')).includes(end));
    expect(await sendAgain(server, held.at(-1) as Buffer)).toContain('register');
  }
  expect(held.length).toBeGreaterThanOrEqual(2);
  expect(await checkpoints.listPending()).toEqual([]);
});

test('any mix of saves, finishes and deletes by two clients leaves the listing exact', async () => {
  const { server, checkpoints, ids } = await setUp();
  const other = openStore(server.url).checkpoints;
  const names = ['a', 'b', 'c', 'd'];
  let revision = 0;
  for (let round = 0; round < ROUNDS; round++) {
    await Promise.all(
      names.flatMap((id) =>
        [checkpoints, other].map(async (store) => {
          revision += 1;
          const dice = Math.random();
          if (dice < 0.2) await store.delete(id, { keepHistory: dice < 0.1 });
          else
            await store.save(id, {
              ...step(revision % 3, id),
              revision,
              status: dice < 0.6 ? 'finished' : 'in-progress',
            });
        }),
      ),
    );
    const loaded = await Promise.all(names.map((id) => checkpoints.load(id)));
    const pending = names.filter((_, at) => loaded[at] && loaded[at]?.status !== 'finished');
    expect((await other.listPending()).map(({ sessionId }) => sessionId)).toEqual(pending);
    expect((await other.list()).map(({ sessionId }) => sessionId)).toEqual(
      names.filter((_, at) => loaded[at]),
    );
    for (const id of pending) expect(await ids('open')).toContain(id);
  }
});

test('any mix of questions, answers and withdrawals by two clients leaves the list exact', async () => {
  const { server } = await setUp();
  const [one, other] = [openStore(server.url), openStore(server.url)];
  const names = ['a', 'b', 'c'];
  const ask = (id: string) => ({
    id,
    toolCallId: 'c',
    toolName: 't',
    args: {},
    createdAt: '2030-01-01T00:00:00Z',
  });
  for (let round = 0; round < ROUNDS; round++) {
    await Promise.all(
      names.flatMap((id) =>
        [one, other].map(async ({ approvals }) => {
          const dice = Math.random();
          if (dice < 0.3) await approvals.delete(id);
          else if (dice < 0.5) await approvals.decide(id, { id, approved: true });
          else await approvals.save(ask(id), {});
        }),
      ),
    );
    const loaded = await Promise.all(names.map((id) => one.approvals.load(id)));
    const undecided = names.filter((_, at) => loaded[at] && loaded[at]?.decision === undefined);
    expect((await other.approvals.list()).map(({ id }) => id)).toEqual(undecided);
  }
});
