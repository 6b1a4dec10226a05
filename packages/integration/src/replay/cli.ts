import { readOptions, USAGE, UsageError } from './options.js';
import { replay, verdict } from './replay.js';

const MAX_SHOWN = 20;

try {
  const options = readOptions(process.argv.slice(2));
  if (options.crash === 'kill' && options.stores.includes('memory')) {
    throw new UsageError(
      'Expected a --store other than memory with --crash kill: memory is gone with its process',
    );
  }
  const summary = await replay(options);
  for (const difference of summary.differences.slice(0, MAX_SHOWN)) console.log(difference);
  const hidden = summary.differences.length - MAX_SHOWN;
  if (hidden > 0) console.log(`... and ${hidden} more`);
  const { line, isClean } = verdict(summary);
  console.log(line);
  process.exitCode = isClean ? 0 : 1;
} catch (error) {
  if (!(error instanceof UsageError)) throw error;
  console.error(`${error.message}\n\n${USAGE}`);
  process.exitCode = 2;
}
