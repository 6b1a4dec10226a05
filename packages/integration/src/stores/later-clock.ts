import { type Clock, systemClock } from '@lousho/core';
import { type ChosenStorage, capabilitiesOf } from './chosen-storage.js';

/**
 * The time of a process that comes when every lease is over and its grace too: as options of its client, where a store lets the caller's
 * clock decide. Elsewhere none: the process waits.
 */
export async function laterClock(storage: ChosenStorage): Promise<{ readonly clock?: Clock }> {
  const { clock, graceMs = 0 } = await capabilitiesOf(storage);
  if (clock !== 'caller') return {};
  const later = { now: () => systemClock.now() + graceMs, monotonic: () => systemClock.monotonic() };
  return { clock: later };
}
