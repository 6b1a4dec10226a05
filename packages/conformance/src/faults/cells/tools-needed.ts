import { NotRun } from '../../model/violation.js';
import { canMount } from '../resources/small-disk.js';
import { canUnshare } from '../stalls/namespaces.js';
import { faketimeLibrary } from '../tools/faketime.js';
import { canTrace } from '../tools/strace.js';

export function needStrace(): void {
  if (!canTrace()) throw new NotRun('strace is missing, or this process may not trace others');
}

/** The path of the library. */
export function needFaketime(): string {
  const library = faketimeLibrary();
  if (library === undefined) throw new NotRun('libfaketime is missing');
  return library;
}

export function needNamespaces(): void {
  if (!canUnshare()) throw new NotRun('this process may not make PID namespaces');
}

export function needMounts(): void {
  if (!canMount()) throw new NotRun('this process may not mount a disk');
}
