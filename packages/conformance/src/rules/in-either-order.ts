/** Starts two acts at the same moment, the second one first where `isSwapped`, and answers in their order. */
export async function inEitherOrder<A, B>(
  isSwapped: boolean,
  first: () => Promise<A>,
  second: () => Promise<B>,
): Promise<[A, B]> {
  if (!isSwapped) return Promise.all([first(), second()]);
  const [b, a] = await Promise.all([second(), first()]);
  return [a, b];
}
