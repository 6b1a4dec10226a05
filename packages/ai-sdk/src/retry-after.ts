/**
 * How long a response asks to be left alone, in milliseconds: `retry-after-ms`, or `retry-after` in seconds or as a date. `undefined`
 * when it does not say, or says nothing that makes sense.
 */
export function retryAfterMs(headers: Readonly<Record<string, unknown>>, now: number): number | undefined {
  const exact = numberOf(headerOf(headers, 'retry-after-ms'));
  if (exact !== undefined) return exact;
  const told = headerOf(headers, 'retry-after');
  const seconds = numberOf(told);
  if (seconds !== undefined) return seconds * 1_000;
  const at = told === undefined || !HTTP_DATE.test(told) ? Number.NaN : Date.parse(told);
  return Number.isNaN(at) ? undefined : Math.max(0, at - now);
}

/** Begins with a day of the week. JavaScript takes much more for a date, `-7` for one. */
const HTTP_DATE = /^\s*(Mon|Tue|Wed|Thu|Fri|Sat|Sun)/i;

function headerOf(headers: Readonly<Record<string, unknown>>, name: string): string | undefined {
  const key = Object.keys(headers).find((candidate) => candidate.toLowerCase() === name);
  const value = key === undefined ? undefined : headers[key];
  return typeof value === 'string' ? value : undefined;
}

function numberOf(text: string | undefined): number | undefined {
  return text !== undefined && /^\s*\d+(\.\d+)?\s*$/.test(text) ? Number(text) : undefined;
}
