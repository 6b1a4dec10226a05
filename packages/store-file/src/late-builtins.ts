import type * as Crypto from 'node:crypto';
import type * as Zlib from 'node:zlib';

/*
 * Modules of Node that are loaded when a record is first written or read, and not with this package: each takes about as long as half
 * of the package, and a program that only imports it, such as a command that prints its help, should not wait for them.
 */
let crypto: typeof Crypto | undefined;
let zlib: typeof Zlib | undefined;

/** `length` bytes that nobody can guess, in hex. */
export function randomHex(length: number): string {
  crypto ??= process.getBuiltinModule('node:crypto');
  return crypto.randomBytes(length).toString('hex');
}

/** The SHA-256 of a text in hex. */
export function sha256(text: string): string {
  crypto ??= process.getBuiltinModule('node:crypto');
  return crypto.createHash('sha256').update(text).digest('hex');
}

/** The CRC-32 in eight hex digits. */
export function checksum(content: string | Buffer): string {
  zlib ??= process.getBuiltinModule('node:zlib');
  return zlib.crc32(content).toString(16).padStart(8, '0');
}
