import { late } from '@lousho/core/node';

const crypto = late(() => process.getBuiltinModule('node:crypto'));
const timers = late(() => process.getBuiltinModule('node:timers/promises'));
const zlib = late(() => process.getBuiltinModule('node:zlib'));

/** Brings all of Node's streams with it. */
export const nodeFs = late(() => process.getBuiltinModule('node:fs'));

/** `length` bytes that nobody can guess, in hex. */
export function randomHex(length: number): string {
  return crypto().randomBytes(length).toString('hex');
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
