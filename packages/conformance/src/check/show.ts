const MAX = 600;

/** A value as a report shows it: short, and with everything in it that JSON would not show. */
export function show(value: unknown): string {
  const text = write(value, 0);
  return text.length > MAX ? `${text.slice(0, MAX)}… (${text.length} characters)` : text;
}

function write(value: unknown, depth: number): string {
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'bigint') return `${value}n`;
  if (Object.is(value, -0)) return '-0';
  if (typeof value !== 'object' || value === null) return String(value);
  if (value instanceof Uint8Array) return `bytes(${[...value.subarray(0, 32)].join(' ')})`;
  if (value instanceof Error) return `${value.name}: ${value.message}`;
  if (depth > 12) return '…';
  if (Array.isArray(value)) return `[${value.map((entry) => write(entry, depth + 1)).join(', ')}]`;
  const entries = Object.entries(value).map(([key, entry]) => `${key}: ${write(entry, depth + 1)}`);
  return `{ ${entries.join(', ')} }`;
}
