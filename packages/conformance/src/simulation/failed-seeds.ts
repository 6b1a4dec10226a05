/**
 * Seeds that once showed a fault of ours, by world, with what it was. They are run first, for ever: what made a schedule hard stays in
 * it as long as seeds are read as they are now. When that changes, the fault is put back in and the first seeds that show it are taken.
 */
const FAILED_SEEDS: readonly FailedSeeds[] = [
  {
    was: 'a renewal that was answered later than its ttl was taken for a lease, and a call started',
    seeds: { reference: [4, 39, 40], memory: [60, 68, 111], file: [63, 77, 111] },
  },
  {
    was: 'a process that had lost its lease withdrew the approval that its successor waited for',
    seeds: { reference: [104, 1878, 3581], memory: [485, 1067, 1561], file: [3508, 3733] },
  },
  {
    was: 'the file store waited outside of the virtual time, for ever as long as anything moved in it',
    seeds: { file: [8518] },
  },
  {
    was: 'the checker took a renewal that lost its lease before it was answered for one that had not prolonged it',
    seeds: { file: [16_860] },
  },
];

interface FailedSeeds {
  readonly was: string;
  readonly seeds: Readonly<Record<string, readonly number[]>>;
}

export function failedSeeds(world: string): readonly number[] {
  return FAILED_SEEDS.flatMap(({ seeds }) => seeds[world] ?? []);
}
