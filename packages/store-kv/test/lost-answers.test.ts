import type { KVNamespace } from '@lousho/store-kv';
import { KVStore } from '@lousho/store-kv';
import { describe, expect, it } from 'vitest';
import { world } from './support/fixtures.js';

const ID = 'refund-42';
const TTL = 30_000;
const approval = {
  id: 'a-1',
  toolCallId: 'call_1',
  toolName: 'refund',
  args: {},
  createdAt: '2030-01-01T00:00:00.000Z',
};
const snapshot = { sessionId: ID, messages: [], stepIndex: 0 } as never;

interface Fault {
  /** Which keys' writes fail. */
  readonly on: RegExp;
  readonly times: number;
  /** Whether the write is made before its answer is lost. */
  readonly isMade: boolean;
}

function failing(binding: KVNamespace, { on, times, isMade }: Fault): KVNamespace {
  let left = times;
  return {
    ...binding,
    put: async (key, value, options) => {
      if (!on.test(key) || left <= 0) return binding.put(key, value, options);
      left -= 1;
      if (isMade) await binding.put(key, value, options);
      throw new TypeError('fetch failed');
    },
  };
}

function storeOn({ kv, clock }: ReturnType<typeof world>, fault: Fault): KVStore {
  return new KVStore(failing(kv.at('here'), fault), { clock, sleep: clock.sleep });
}

describe.each([true, false])('a write whose answer was lost, made: %s', (isMade) => {
  const once = { on: /leases\//, times: 1, isMade };

  it('a lease is granted, with one epoch, and is the only one', async () => {
    const own = world();
    const { checkpoints } = storeOn(own, once);
    const lease = await checkpoints.acquireLease(ID, 'worker-a', TTL);
    expect(lease).toBeTruthy();
    expect(await own.open().checkpoints.acquireLease(ID, 'worker-b', TTL)).toBe(false);
    expect((await checkpoints.readLease(ID))?.epoch).toBe((lease as { epoch: number }).epoch);
  });

  it.each([2, 8])('of %i isolates that ask at once exactly one is granted', async (count) => {
    const own = world();
    const answers = await Promise.all(
      Array.from({ length: count }, (_, n) =>
        storeOn(own, once).checkpoints.acquireLease(ID, `worker-${n}`, TTL),
      ),
    );
    expect(answers.filter(Boolean)).toHaveLength(1);
  });

  it('a renewal is confirmed', async () => {
    const own = world();
    await own.open().checkpoints.acquireLease(ID, 'worker-a', TTL);
    expect(await storeOn(own, once).checkpoints.renewLease(ID, 'worker-a', TTL)).toBe(true);
  });

  it('an approval is decided', async () => {
    const own = world();
    await own.open().approvals.save(approval, snapshot);
    const { approvals } = storeOn(own, { on: /#claim/, times: 1, isMade });
    expect(await approvals.decide('a-1', { id: 'a-1', approved: true })).toBe('decided');
  });
});

it('a lease that is never written is LOUSHO_STORE_OUTCOME_UNKNOWN once the deadline is over', async () => {
  const never = { on: /leases\//, times: Number.POSITIVE_INFINITY, isMade: false };
  const { checkpoints } = storeOn(world(), never);
  await expect(checkpoints.acquireLease(ID, 'worker-a', TTL)).rejects.toMatchObject({
    code: 'LOUSHO_STORE_OUTCOME_UNKNOWN',
  });
});
