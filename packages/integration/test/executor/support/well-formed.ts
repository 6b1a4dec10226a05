/** Whether UTF-8 can carry the text: it has no half of a surrogate pair. */
export function isWellFormed(text: string): boolean {
  return new TextDecoder().decode(new TextEncoder().encode(text)) === text;
}
