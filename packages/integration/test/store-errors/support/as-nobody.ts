const NOBODY = 65_534;

/** Runs the work as a user with no rights of its own: root may write everywhere, so its faults would not show. */
export async function asNobody<T>(work: () => Promise<T>): Promise<T> {
  if (process.geteuid?.() !== 0) return work();
  process.seteuid?.(NOBODY);
  try {
    return await work();
  } finally {
    process.seteuid?.(0);
  }
}
