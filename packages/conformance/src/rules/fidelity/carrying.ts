import type { Checkpoint } from '@lousho/core/contract';
import { checkpoint, ID, user } from '../../world/builders.js';
import type { World } from '../../world/world.js';

/** A checkpoint with one value in each place where a store might treat it differently. */
export function carrying(value: unknown): Checkpoint {
  const metadata = { value };
  return checkpoint({
    messages: [
      { ...user('one'), metadata },
      { ...user('two'), metadata },
    ],
    businessState: value,
    metadata,
  });
}

/** What comes back of `carrying(value)`, in each of its places. */
export async function roundTrip({ open }: Pick<World, 'open'>, value: unknown): Promise<readonly unknown[]> {
  const { checkpoints } = await open();
  await checkpoints.save(ID, carrying(value));
  const loaded = await checkpoints.load(ID);
  return [
    loaded?.businessState,
    loaded?.metadata?.value,
    loaded?.messages[0]?.metadata?.value,
    loaded?.messages[1]?.metadata?.value,
  ];
}
