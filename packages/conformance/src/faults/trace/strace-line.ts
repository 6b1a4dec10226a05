/** One system call as strace printed it. */
export interface TracedCall {
  /** Of the thread. */
  readonly pid: number;
  readonly name: string;
  readonly args: readonly string[];
  /** How many calls of this name the thread had made, this one included: what `when=` of an injection counts. */
  readonly ordinal: number;
  /** `undefined` when it never returned. */
  readonly result: string | undefined;
  /** Where it stands among the calls that returned, by the order of their returns. */
  readonly startedAt: number;
}

export interface Trace {
  /** By their ends. Calls that never returned stand last. */
  readonly calls: readonly TracedCall[];
  /** `undefined` when the process did not end by itself. */
  readonly exitCode: number | undefined;
  /** A signal ended the process. */
  readonly killedBy: string | undefined;
}

/** Reads what `strace -f -y -o FILE` wrote. */
export function parseTrace(text: string): Trace {
  const ordinals = new Map<string, number>();
  const open = new Map<number, Omit<TracedCall, 'result'>>();
  const calls: TracedCall[] = [];
  let exitCode: number | undefined;
  let killedBy: string | undefined;
  for (const line of text.split('\n')) {
    const [, pidText, rest = ''] = /^(\d+)\s+(.*)$/s.exec(line) ?? [];
    if (pidText === undefined) continue;
    const pid = Number(pidText);
    const killed = /^\+\+\+ killed by (\w+)/.exec(rest);
    if (killed) killedBy = killed[1];
    const exited = /^\+\+\+ exited with (\d+)/.exec(rest);
    if (exited) exitCode = Number(exited[1]);
    const resumed = /^<\.\.\. (\w+) resumed>(.*)$/s.exec(rest);
    if (resumed) {
      const begun = open.get(pid);
      open.delete(pid);
      if (begun) calls.push({ ...begun, result: resultOf(resumed[2] ?? '') });
      continue;
    }
    const [, name, tail = ''] = /^(\w+)\((.*)$/s.exec(rest) ?? [];
    if (name === undefined) continue;
    const ordinal = (ordinals.get(`${pid} ${name}`) ?? 0) + 1;
    ordinals.set(`${pid} ${name}`, ordinal);
    const { args, end } = argumentsOf(tail);
    const call = { pid, name, args, ordinal, startedAt: calls.length };
    if (end === undefined) open.set(pid, call);
    else calls.push({ ...call, result: resultOf(end) });
  }
  for (const call of open.values()) calls.push({ ...call, result: undefined });
  return { calls, exitCode, killedBy };
}

/** The path of a descriptor's file, which `-y` prints behind its number; of `AT_FDCWD` as well. */
export function fileOf(argument: string | undefined): string | undefined {
  return /^(?:\d+|AT_FDCWD)<(.*)>$/s.exec(argument ?? '')?.[1];
}

/** The bytes of a quoted argument. */
export function bytesOf(argument: string | undefined): Buffer {
  const text = /^"(.*)"(?:\.\.\.)?$/s.exec(argument ?? '')?.[1] ?? '';
  const bytes: number[] = [];
  for (let at = 0; at < text.length; at++) {
    if (text[at] !== '\\') {
      bytes.push(text.charCodeAt(at));
      continue;
    }
    const octal = /^[0-7]{1,3}/.exec(text.slice(at + 1, at + 4))?.[0];
    if (octal !== undefined) bytes.push(Number.parseInt(octal, 8));
    else bytes.push(ESCAPES[text[at + 1] as string] ?? text.charCodeAt(at + 1));
    at += octal?.length ?? 1;
  }
  return Buffer.from(bytes);
}

export function textOf(argument: string | undefined): string {
  return bytesOf(argument).toString();
}

const ESCAPES: Readonly<Record<string, number>> = { n: 10, t: 9, r: 13, v: 11, f: 12 };

/** Splits at the commas that stand in no quotes, brackets or path; `end` is what stands behind the closing parenthesis. */
function argumentsOf(text: string): { readonly args: readonly string[]; readonly end: string | undefined } {
  const args: string[] = [];
  let from = 0;
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const char = text[at];
    if (char === '"') at = closingQuote(text, at);
    else if (text.startsWith(' <unfinished ...>', at))
      return { args: [...args, text.slice(from, at)], end: undefined };
    else if (char === '<') at = text.indexOf('>', at);
    else if (char === '[' || char === '{' || char === '(') depth += 1;
    else if (char === ']' || char === '}') depth -= 1;
    else if (char === ',' && depth === 0) {
      args.push(text.slice(from, at));
      from = at + 2;
    } else if (char === ')') {
      if (depth === 0) return { args: [...args, text.slice(from, at)], end: text.slice(at + 1) };
      depth -= 1;
    }
    if (at < 0) break;
  }
  return { args: [...args, text.slice(from)], end: undefined };
}

function closingQuote(text: string, from: number): number {
  for (let at = from + 1; at < text.length; at++) {
    if (text[at] === '\\') at += 1;
    else if (text[at] === '"') return at;
  }
  return text.length;
}

/** The value behind `=`: `0`, `18</path>`, `-1 ENOENT`. `?` is none. */
function resultOf(text: string): string | undefined {
  const value = /\)?\s*=\s(.*)$/s.exec(text)?.[1]?.trim();
  return value === undefined || value.startsWith('?') ? undefined : value;
}
