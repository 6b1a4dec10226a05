const CHARACTERS = 16;
const MAX_REMEMBERED = 500;

/** Web Crypto computes on another thread; what was hashed before is known at once. */
const known = new Map<string, string>();

/** The first characters of the text's SHA-256, in hex. */
export async function shortHash(text: string): Promise<string> {
  const remembered = known.get(text);
  if (remembered !== undefined) return remembered;
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  const hash = [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  if (known.size >= MAX_REMEMBERED) known.clear();
  known.set(text, hash.slice(0, CHARACTERS));
  return hash.slice(0, CHARACTERS);
}
