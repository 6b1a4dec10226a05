/** Well below the 400 KB of an item, which counts UTF-8 bytes, attribute names and keys. */
export const CHUNK_BYTES = 350_000;

const utf8 = new TextEncoder();
/** The most bytes that UTF-8 needs for one code unit. */
const BYTES_PER_UNIT = 3;

/** The text in pieces of at most `CHUNK_BYTES` as UTF-8, none of which ends inside a character. */
export function chunksOf(text: string): string[] {
  if (text.length * BYTES_PER_UNIT <= CHUNK_BYTES) return [text];
  const buffer = new Uint8Array(CHUNK_BYTES);
  const chunks: string[] = [];
  for (let at = 0; at < text.length; ) {
    const { read } = utf8.encodeInto(text.slice(at, at + CHUNK_BYTES), buffer);
    // The slice may have cut a pair in two; the half would be stored as another character.
    const end = at + (isHighSurrogate(text, at + read - 1) && at + read < text.length ? read - 1 : read);
    chunks.push(text.slice(at, end));
    at = end;
  }
  return chunks;
}

function isHighSurrogate(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  return unit >= 0xd800 && unit <= 0xdbff;
}
