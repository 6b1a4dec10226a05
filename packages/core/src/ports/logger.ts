/** Where a warning goes that no caller waits for. */
export interface Logger {
  warn(message: string, error?: unknown): void;
}

export const consoleLogger: Logger = {
  warn: (message, error) => (error === undefined ? console.warn(message) : console.warn(message, error)),
};
