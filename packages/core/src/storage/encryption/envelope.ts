import { SDKError } from '../../contract/index.js';

/**
 * A sealed text as it is stored: `sealed.1.<key id>.<key check>.<nonce>.<length of data>.<data>`. Nonce and data are base64; the data
 * ends with the authentication tag. The length tells a record that was cut from one that was changed.
 */
export interface Envelope {
  readonly keyId: string;
  readonly check: string;
  readonly nonce: string;
  readonly data: string;
}

const MARK = 'sealed';
const FORMAT = 1;
const PARTS = 7;
/** The part that holds the nonce: it names the envelope, because no two have the same. */
const NONCE_PART = 4;

/** What stands in front of the key id, bound to each record as well. */
export const ENVELOPE_FORMAT = `${MARK}.${FORMAT}`;

export function writeEnvelope({ keyId, check, nonce, data }: Envelope): string {
  return [ENVELOPE_FORMAT, keyId, check, nonce, data.length, data].join('.');
}

/** The parts of an envelope's text; `record` names it in refusals. */
export function readEnvelope(record: string, text: unknown): Envelope {
  if (typeof text !== 'string' || text === '' || !isMarked(text)) {
    throw new SDKError('LOUSHO_RECORD_NOT_ENCRYPTED', `${record} is not encrypted`);
  }
  const parts = text.split('.');
  const [, format = '', keyId = '', check = '', nonce = '', length = '', data = ''] = parts;
  if (parts.length > 2 && Number(format) > FORMAT) {
    throw new SDKError(
      'LOUSHO_STORAGE_INCOMPATIBLE',
      `${record} has the encrypted format ${format}; this version reads up to ${FORMAT}`,
    );
  }
  if (parts.length < PARTS) throw truncated(record);
  if (parts.length > PARTS || format !== String(FORMAT) || !/^\d+$/.test(length)) throw tampered(record);
  if (data.length < Number(length)) throw truncated(record);
  if (data.length > Number(length)) throw tampered(record);
  return { keyId, check, nonce, data };
}

/** What distinguishes an envelope from every other one. */
export function nonceOf(envelope: string): string {
  return envelope.split('.', NONCE_PART + 1)[NONCE_PART] ?? '';
}

export function tampered(record: string, cause?: unknown): SDKError {
  return new SDKError('LOUSHO_RECORD_TAMPERED', `${record} is not what was stored`, { cause });
}

export function truncated(record: string): SDKError {
  return new SDKError('LOUSHO_RECORD_TRUNCATED', `${record} has lost its end`);
}

/** A text that was cut within the mark counts as one that had it. */
function isMarked(text: string): boolean {
  const mark = `${MARK}.`;
  return text.length < mark.length ? mark.startsWith(text) : text.startsWith(mark);
}
