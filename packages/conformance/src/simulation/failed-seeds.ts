/**
 * Seeds that once showed a fault of ours, by world, with what it was. They are run first, for ever: what made a schedule hard stays in
 * it as long as seeds are read as they are now.
 */
const FAILED_SEEDS: readonly FailedSeeds[] = [
  {
    was: 'a renewal that was answered later than its ttl was taken for a lease, and a call started',
    seeds: { reference: [157, 171, 181], memory: [43, 81, 193], file: [113, 117, 180] },
  },
  {
    was: 'a process that had lost its lease withdrew the approval that its successor waited for',
    seeds: { reference: [9, 977, 2632], memory: [145, 743, 954], file: [853, 879, 977] },
  },
];

interface FailedSeeds {
  readonly was: string;
  readonly seeds: Readonly<Record<string, readonly number[]>>;
}

export function failedSeeds(world: string): readonly number[] {
  return FAILED_SEEDS.flatMap(({ seeds }) => seeds[world] ?? []);
}
