import type { PendingApproval } from '@lousho/core/contract';
import { expect, test } from 'vitest';
import { openStore } from './support/open-store.js';
import { temporaryDatabase } from './support/temporary-folder.js';

test('approvals are listed by instant, whatever the time zone or digits of their text', async () => {
  const { approvals } = openStore(temporaryDatabase());
  await approvals.save(approval('c', '2030-01-01T12:00:00Z'), {});
  await approvals.save(approval('a', '2030-01-01T13:30:00+02:00'), {});
  await approvals.save(approval('b', '2030-01-01T12:00:00.000Z'), {});
  expect((await approvals.list()).map(({ id }) => id)).toEqual(['a', 'b', 'c']);
});

test('of many deciders in two store objects one is answered decided', async () => {
  const path = temporaryDatabase();
  const stores = [openStore(path), openStore(path)];
  await stores[0]?.approvals.save(approval('ask-1', '2030-01-01T12:00:00Z'), {});
  const answers = await Promise.all(
    Array.from({ length: 10 }, (_, at) =>
      stores[at % 2]?.approvals.decide('ask-1', { id: 'ask-1', approved: at === 0, note: `decider ${at}` }),
    ),
  );
  expect(answers.filter((answer) => answer === 'decided')).toHaveLength(1);
  expect(answers.filter((answer) => answer === 'already-decided')).toHaveLength(9);
});

test('saving an approval again replaces an undecided one and leaves a decided one alone', async () => {
  const { approvals } = openStore(temporaryDatabase());
  await approvals.save(approval('ask-1', '2030-01-01T12:00:00Z'), { note: 'first' });
  await approvals.save(approval('ask-1', '2030-01-01T12:00:00Z'), { note: 'second' });
  await approvals.decide('ask-1', { id: 'ask-1', approved: true });
  await approvals.save(approval('ask-1', '2030-01-01T12:00:00Z'), { note: 'third' });
  expect(await approvals.load('ask-1')).toMatchObject({
    snapshot: { note: 'second' },
    decision: { approved: true },
  });
});

function approval(id: string, createdAt: string): PendingApproval {
  return { id, toolCallId: 'call-1', toolName: 'refund', args: {}, createdAt };
}
