import { isStoreKey } from '@lousho/core/contract';
import { sha256 } from './late-modules.js';

/** Windows opens a device for these, whatever follows the first dot. */
const DEVICE = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/;
const MAX_NAME = 200;
const DEVICE_MARK = '^_';
const HASH_MARK = '^=';

/**
 * The directory name of an id, the same on every file system: upper-case letters become `^` and the lower-case letter, so that names
 * that differ stay different where case does not count. No name is one of a Windows device, ends in a dot or exceeds 255 bytes.
 */
export function nameOfId(id: string): string {
  const lower = id.replace(/[A-Z]/g, (letter) => `^${letter.toLowerCase()}`);
  const name = DEVICE.test(lower) ? DEVICE_MARK + lower : lower;
  if (name.length <= MAX_NAME) return name;
  const hash = sha256(id).slice(0, 40);
  return `${name.slice(0, MAX_NAME - HASH_MARK.length - hash.length)}${HASH_MARK}${hash}`;
}

/** The id behind a name. `'hashed'` for a shortened one, whose log has the id; `null` for a name that no id has. */
export function idOfName(name: string): { readonly id: string } | 'hashed' | null {
  if (/\^=[0-9a-f]{40}$/.test(name)) return 'hashed';
  const plain = name.startsWith(DEVICE_MARK) ? name.slice(DEVICE_MARK.length) : name;
  const id = plain.replace(/\^([a-z])/g, (_, letter: string) => letter.toUpperCase());
  // Not every name that could be one is: a directory in the making begins with a dot.
  return isStoreKey(id) && nameOfId(id) === name ? { id } : null;
}
