import { late } from '@lousho/core/node';

const crypto = late(() => process.getBuiltinModule('node:crypto'));
const timers = late(() => process.getBuiltinModule('node:timers/promises'));
const zlib = late(() => process.getBuiltinModule('node:zlib'));

/** Brings all of Node's streams with it. */
export const nodeFs = late(() => process.getBuiltinModule('node:fs'));

const POOL_BYTES = 1_024;
let pool: Buffer | undefined;
let used = 0;

/** `length` bytes that nobody can guess, in hex. They are drawn many at a time: a few cost as much. */
export function randomHex(length: number): string {
  if (!pool || used + length > pool.length) {
    pool = crypto().randomBytes(Math.max(length, POOL_BYTES));
    used = 0;
  }
  used += length;
  return pool.toString('hex', used - length, used);
}

/** The SHA-256 of a text in hex. */
export function sha256(text: string): string {
  return crypto().createHash('sha256').update(text).digest('hex');
}

/** The CRC-32 in eight hex digits. */
export function checksum(content: string | Buffer): string {
  return zlib().crc32(content).toString(16).padStart(8, '0');
}

export function sleep(ms: number): Promise<void> {
  return timers().setTimeout(ms);
}
