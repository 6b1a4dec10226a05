import type { HostTime, LeaseTerm } from '@lousho/core/node';
import type { Beat, BeatRef, HeldLease } from './held-lease.js';
import { checksum } from './late-modules.js';
import { ignoring, type LogFs } from './log-fs.js';

export const SLOT_BYTES = 64;
const MAX_READS = 50;

/** A beat as text of one slot: it names the lease and the clock it was read from, so that no other slot's content passes for it. */
export function encodeBeat(owner: string, epoch: number, time: HostTime): Buffer {
  const text = `${time.monotonicMs} ${time.wallMs} ${checksum(time.domain)} ${checksum(`${owner}/${epoch}`)}`;
  return Buffer.from(`${text} ${checksum(text)}`.padEnd(SLOT_BYTES - 1).concat('\n'));
}

/** `'none'`: no beat of this lease on this clock. `'torn'`: it is being written. */
export function decodeBeat(slot: string, lease: HeldLease): Beat | 'none' | 'torn' {
  const text = slot.trimEnd();
  if (text.replaceAll('\0', '') === '') return 'none';
  const [monotonic, wall, domain, holder, sum] = text.split(' ');
  if (checksum(`${monotonic} ${wall} ${domain} ${holder}`) !== sum) return 'torn';
  if (domain !== checksum(lease.term.domain) || holder !== checksum(`${lease.owner}/${lease.epoch}`))
    return 'none';
  return { monotonicMs: Number(monotonic), wallMs: Number(wall) };
}

/**
 * The last beat of a lease's holder. A slot that stays unreadable counts as alive: `'alive'`. Whoever judges has to read the time
 * before: a beat that was written since then shows, and one that was written before must have been in time.
 */
export function readBeat(fs: LogFs, directory: string, lease: HeldLease): Beat | 'none' | 'alive' {
  for (let read = 0; read < MAX_READS; read++) {
    const slot = readSlot(fs, directory, lease.beat);
    if (slot === null) return 'none';
    const beat = decodeBeat(slot, lease);
    if (beat !== 'torn') return beat;
  }
  return 'alive';
}

/** The term that a beat gives a lease. */
export function termOfBeat(lease: HeldLease, beat: Beat): LeaseTerm {
  return {
    domain: lease.term.domain,
    expiresMonotonicMs: beat.monotonicMs + lease.ttlMs,
    expiresWallMs: beat.wallMs + lease.ttlMs,
  };
}

function readSlot(fs: LogFs, directory: string, { file, slot }: BeatRef): string | null {
  const fd = ignoring(['ENOENT'], () => fs.openSync(`${directory}/${file}`, 'r'));
  if (fd === undefined) return null;
  try {
    const bytes = Buffer.alloc(SLOT_BYTES);
    const count = fs.readSync(fd, bytes, 0, SLOT_BYTES, slot * SLOT_BYTES);
    return bytes.toString('latin1', 0, count);
  } finally {
    fs.closeSync(fd);
  }
}
