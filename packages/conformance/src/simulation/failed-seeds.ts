/**
 * Seeds that once showed a fault of ours, by world, with what it was. They are run first, for ever: what made a schedule hard stays in
 * it as long as seeds are read as they are now. When that changes, the fault is put back in and the first seeds that show it are taken.
 */
const FAILED_SEEDS: readonly FailedSeeds[] = [
  {
    was: 'a renewal that was answered later than its ttl was taken for a lease, and a call started',
    seeds: { reference: [41, 51, 200], memory: [17, 60, 68], file: [39, 111, 113] },
  },
  {
    was: 'a process that had lost its lease withdrew the approval that its successor waited for',
    seeds: { reference: [1112, 1838, 3837], memory: [763, 885, 1967], file: [4689, 8977] },
  },
  {
    was: 'the file store waited outside of the virtual time, for ever as long as anything moved in it',
    seeds: { file: [7676] },
  },
];

interface FailedSeeds {
  readonly was: string;
  readonly seeds: Readonly<Record<string, readonly number[]>>;
}

export function failedSeeds(world: string): readonly number[] {
  return FAILED_SEEDS.flatMap(({ seeds }) => seeds[world] ?? []);
}
