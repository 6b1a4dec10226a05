const WIDTH = 30;

/** A bar on the terminal's last line; nothing at all where the output is not a terminal. */
export class ProgressBar {
  readonly #out: NodeJS.WriteStream;

  constructor(out: NodeJS.WriteStream = process.stderr) {
    this.#out = out;
  }

  /** `share` is between 0 and 1. */
  show(share: number, label: string): void {
    if (!this.#out.isTTY) return;
    const filled = Math.round(Math.min(Math.max(share, 0), 1) * WIDTH);
    const bar = `${'█'.repeat(filled)}${'░'.repeat(WIDTH - filled)}`;
    this.#out.write(`\r\x1b[K${bar} ${Math.floor(share * 100)} %  ${label}`);
  }

  clear(): void {
    if (this.#out.isTTY) this.#out.write('\r\x1b[K');
  }
}
