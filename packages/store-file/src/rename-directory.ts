import { codeOf, type LogFs } from './log-fs.js';

const OCCUPIED = ['ENOTEMPTY', 'EEXIST'];
/** What Windows says while a virus scanner or an indexer has the file open. */
const PASSING = ['EPERM', 'EACCES', 'EBUSY'];
const MAX_TRIES = 6;

/** `false` when the target is there already. */
export async function renameDirectory(
  { fs, sleep }: { readonly fs: LogFs; readonly sleep: (ms: number) => Promise<void> },
  from: string,
  to: string,
): Promise<boolean> {
  for (let attempt = 1; ; attempt++) {
    try {
      fs.renameSync(from, to);
      return true;
    } catch (error) {
      const code = codeOf(error) ?? '';
      if (OCCUPIED.includes(code)) return false;
      if (!PASSING.includes(code) || attempt === MAX_TRIES) throw error;
      // On Windows the same code says that the target exists, so look before waiting.
      if (fs.statSync(to, { throwIfNoEntry: false })) return false;
      if (process.platform !== 'win32') throw error;
      await sleep(2 ** attempt * 5);
    }
  }
}
