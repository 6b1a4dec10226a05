const LONE_SURROGATE = /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g;

/** The text with every lone surrogate replaced by U+FFFD: what a provider's UTF-8 request can carry. */
export function wellFormed(text: string): string {
  // Newer than the language level that we compile for, and much faster where it is there.
  const { toWellFormed } = text as { toWellFormed?: () => string };
  if (toWellFormed) return toWellFormed.call(text);
  return text.replace(LONE_SURROGATE, '\uFFFD');
}
