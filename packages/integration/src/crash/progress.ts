export interface Progress {
  /** What is going on now. */
  at(what: string, done: number, total: number): void;
  /** Takes the line away. */
  clear(): void;
}

const WIDTH = 24;

/** One line on a terminal that is written over and over; elsewhere nothing, so that logs hold only results. */
export function terminalProgress(out: NodeJS.WriteStream): Progress {
  if (!out.isTTY) return { at: () => undefined, clear: () => undefined };
  return {
    at: (what, done, total) => {
      const full = Math.round((done / Math.max(total, 1)) * WIDTH);
      out.write(`\r\x1b[K${'█'.repeat(full)}${'░'.repeat(WIDTH - full)} ${what} ${done}/${total}`);
    },
    clear: () => {
      out.write('\r\x1b[K');
    },
  };
}
