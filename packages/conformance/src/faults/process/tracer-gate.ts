import { readSync, writeSync } from 'node:fs';

/** What lets go on whoever waits, the shell that becomes the tracer or the process. */
export const GO = 'go\n';

/** Says that this process is ready for its tracer, and stands still until it is traced. */
export function awaitTracer(): void {
  writeSync(1, 'ready\n');
  readSync(0, Buffer.alloc(GO.length));
}

/** Also a process that ends before it is ready must not be waited for. */
export function endTellsTracer(): void {
  process.once('exit', () => writeSync(1, 'over\n'));
}
