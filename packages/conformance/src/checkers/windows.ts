import { isUnknown, type RecordedCall } from './recorded-call.js';

/**
 * Cuts a history where no answered call is under way, into windows of at most `maxCalls`. `null` when it cannot be cut so finely.
 */
export function windowsOf(
  calls: readonly RecordedCall[],
  maxCalls: number,
): readonly (readonly RecordedCall[])[] | null {
  const ordered = [...calls].sort((a, b) => a.calledAt - b.calledAt);
  if (ordered.length <= maxCalls) return [ordered];
  const windows: RecordedCall[][] = [];
  let window: RecordedCall[] = [];
  let piece: RecordedCall[] = [];
  let underWayUntil = Number.NEGATIVE_INFINITY;
  for (const call of ordered) {
    if (piece.length > 0 && call.calledAt > underWayUntil) {
      window = join(windows, window, piece, maxCalls);
      piece = [];
    }
    piece.push(call);
    if (!isUnknown(call)) underWayUntil = Math.max(underWayUntil, call.returnedAt);
  }
  windows.push(join(windows, window, piece, maxCalls));
  return windows.every(({ length }) => length <= maxCalls) ? windows : null;
}

/** The window with the piece, or the piece alone where the window is full: then that one is closed. */
function join(
  windows: RecordedCall[][],
  window: RecordedCall[],
  piece: RecordedCall[],
  maxCalls: number,
): RecordedCall[] {
  if (window.length + piece.length <= maxCalls) return [...window, ...piece];
  if (window.length > 0) windows.push(window);
  return piece;
}
