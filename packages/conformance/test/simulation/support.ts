import type { ScheduleResult } from '@lousho/conformance/simulation';

export const isDeep = process.env.DEEP === '1';

/** What went wrong, with the line that shows it again. */
export function failuresOf(results: readonly ScheduleResult[]): readonly string[] {
  return results
    .filter(({ violations }) => violations.length > 0)
    .map(
      ({ seed, world, violations }) =>
        `npm run conformance -- simulate --seed ${seed} --world ${world}\n${violations.join('\n')}`,
    );
}
