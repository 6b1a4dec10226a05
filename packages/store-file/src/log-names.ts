import { randomHex } from './late-modules.js';

/**
 * The name of one file of a log: `<generation>.<nonce>.log` for a chosen one, `.cand` for a candidate that counts only once a seal
 * names it. The nonce is random, so no name is ever used twice and a stalled process cannot hit somebody else's file.
 */
export interface LogName {
  readonly generation: number;
  readonly nonce: string;
  readonly kind: 'log' | 'cand';
}

const PATTERN = /^(0|[1-9]\d{0,14})\.([0-9a-f]{16})\.(log|cand)$/;

export function newNonce(): string {
  return randomHex(8);
}

export function fileOf(name: LogName): string {
  return `${name.generation}.${name.nonce}.${name.kind}`;
}

export function parseLogName(file: string): LogName | null {
  const [, generation, nonce, kind] = PATTERN.exec(file) ?? [];
  if (generation === undefined || nonce === undefined) return null;
  return { generation: Number(generation), nonce, kind: kind === 'log' ? 'log' : 'cand' };
}
