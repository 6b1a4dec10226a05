import type { RuleResult } from '../run/run-rules.js';

/** Shows what becomes of the rules: on a terminal one line that is written over and over, elsewhere nothing. */
export interface Progress {
  see(result: RuleResult): void;
  /** Takes the line away. */
  clear(): void;
}

export function terminalProgress(out: NodeJS.WriteStream, store: string, total: number): Progress {
  if (!out.isTTY) return { see: () => undefined, clear: () => undefined };
  let done = 0;
  let failed = 0;
  return {
    see: ({ rule, outcome }) => {
      done += 1;
      if (outcome.kind === 'failed') failed += 1;
      const bad = failed > 0 ? `, ${failed} failed` : '';
      out.write(`\r\x1b[K${store}: ${done}/${total}${bad}  ${rule.id}`);
    },
    clear: () => {
      out.write('\r\x1b[K');
    },
  };
}
