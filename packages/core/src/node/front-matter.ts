/** A text with fields at its top, and what stands behind them. */
export interface FrontMatter {
  /** The fields that have a text; lists, maps and other values are passed over. */
  readonly fields: ReadonlyMap<string, string>;
  readonly body: string;
}

const FENCE = /^---[ \t]*$/;
const FIELD = /^([A-Za-z][\w-]*):(?:[ \t]+(.*))?$/;

/**
 * Reads the fields between the `---` lines at the top of a text; `undefined` where there are none. Of YAML it knows the ways to write a
 * text at the top level: plain, in either quotes, folded (`>`) and literal (`|`), each over any number of lines.
 */
export function frontMatter(text: string): FrontMatter | undefined {
  const all = text.replace(/^\uFEFF/, '').split(/\r?\n/);
  const end = all.findIndex((line, index) => index > 0 && FENCE.test(line));
  if (!FENCE.test(all[0] ?? '') || end === -1) return undefined;
  const fields = new Map<string, string>();
  const lines = all.slice(1, end);
  for (let at = 0; at < lines.length; ) {
    const field = FIELD.exec(lines[at++] ?? '');
    const from = at;
    while (at < lines.length && isContinued(lines[at])) at++;
    const value = field && textOf(field[2]?.trim() ?? '', lines.slice(from, at));
    if (field?.[1] !== undefined && value !== null && value !== undefined) fields.set(field[1], value);
  }
  return { fields, body: all.slice(end + 1).join('\n') };
}

function isContinued(line: string | undefined): boolean {
  return line === '' || /^[ \t]/.test(line ?? '');
}

/** `null` for what is no text. */
function textOf(first: string, rest: readonly string[]): string | null {
  if (/^[>|][+-]?$/.test(first)) return blockText(first.startsWith('>'), rest);
  const joined = [first, ...rest.map((line) => line.trim())].join(' ').trim();
  if (joined.startsWith("'")) return /^'((?:[^']|'')*)'/.exec(joined)?.[1]?.replaceAll("''", "'") ?? null;
  if (joined.startsWith('"')) return doubleQuoted(joined);
  const plain = joined.replace(/(^|\s)#.*$/, '').trim();
  // A map, a list, an alias, a tag: no text.
  return plain === '' || /^[[\]{}&*!%@`]/.test(plain) || first === '' ? null : plain;
}

function doubleQuoted(text: string): string | null {
  const quoted = /^"(?:[^"\\]|\\.)*"/.exec(text)?.[0];
  try {
    return quoted === undefined ? null : (JSON.parse(quoted) as string);
  } catch {
    return null;
  }
}

/** Lines without their common indentation; folded, the lines of a paragraph become one. */
function blockText(isFolded: boolean, lines: readonly string[]): string {
  const indents = lines.filter((line) => line.trim() !== '').map((line) => line.search(/\S/));
  const text = lines.map((line) => line.slice(Math.min(...indents))).join('\n');
  return (
    isFolded ? text.replace(/([^\n])\n(\n*)(?=[^\n])/g, (_, end, more) => end + (more || ' ')) : text
  ).trim();
}
