/** A place in two sequences; one side is missing where a sequence has something of its own. */
export interface AlignedPair {
  readonly a?: number;
  readonly b?: number;
}

/**
 * Aligns two sequences by a longest common subsequence, so that one inserted element does not make all later ones differ. Elements
 * that only one side has stand alone, in order. Quadratic in the lengths, which are steps of a run.
 */
export function align(a: readonly string[], b: readonly string[]): readonly AlignedPair[] {
  const lengths = commonLengths(a, b);
  const pairs: AlignedPair[] = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) pairs.push({ a: i++, b: j++ });
    else if (j >= b.length || (i < a.length && at(lengths, i + 1, j) >= at(lengths, i, j + 1)))
      pairs.push({ a: i++ });
    else pairs.push({ b: j++ });
  }
  return pairs;
}

/** `lengths[i][j]`: how much `a` from `i` and `b` from `j` have in common. */
function commonLengths(a: readonly string[], b: readonly string[]): number[][] {
  const lengths = Array.from({ length: a.length + 1 }, () => new Array<number>(b.length + 1).fill(0));
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      const longest = Math.max(at(lengths, i + 1, j), at(lengths, i, j + 1));
      (lengths[i] as number[])[j] = a[i] === b[j] ? at(lengths, i + 1, j + 1) + 1 : longest;
    }
  }
  return lengths;
}

function at(lengths: readonly number[][], i: number, j: number): number {
  return lengths[i]?.[j] ?? 0;
}
