import { SDKError } from '@lousho/core/contract';
import type { Fold } from './fold.js';
import { nodeFs } from './late-modules.js';
import { outcomeUnknown } from './log-errors.js';
import { codeOf, type LogFs } from './log-fs.js';
import { type Basis, LogHistory } from './log-history.js';
import { fileOf, type LogName, newNonce } from './log-names.js';
import { type Entry, encodeLine, type RecordFields } from './record-line.js';

const constants = () => nodeFs().constants;

/** Linux writes at most 2 GB in one call; far below that a record is no longer one write's worth. */
const MAX_RECORD_BYTES = 192 * 1024 * 1024;

export interface LogFileParts<S> {
  readonly fs: LogFs;
  readonly fold: Fold<S>;
  readonly id: string;
  /** Of the id's directory. */
  readonly directory: string;
  readonly name: LogName;
}

/**
 * One file of a log and the history that was read from it. An append is a compare-and-swap on the whole history, decided by the order
 * in which the kernel appends: a record that did not land right behind what its writer had read is void.
 */
export class LogFile<S> {
  readonly path: string;
  readonly history: LogHistory<S>;
  fd: number | undefined;
  /** Operations that use the file now; it may be closed only at 0. */
  pins = 0;
  isWritable = true;
  /** Content and name are durable: a record in it may be acknowledged. */
  isReady = false;
  /** The file has no name any more. */
  isRemoved = false;
  /** No compaction before the file has this size. */
  compactFrom = 0;

  constructor(readonly parts: LogFileParts<S>) {
    const { fold, id, directory, name } = parts;
    this.path = `${directory}/${fileOf(name)}`;
    this.history = new LogHistory({ fold, id, path: this.path, generation: name.generation });
  }

  /** `false` when there is no such file: it has been replaced. */
  open(): boolean {
    this.fd ??= this.#open(constants().O_RDWR | constants().O_APPEND);
    return this.fd !== undefined;
  }

  close(): void {
    if (this.fd === undefined) return;
    const { fd } = this;
    this.fd = undefined;
    this.parts.fs.closeSync(fd);
  }

  /** Folds what was appended since the last read. */
  read(): void {
    const { history } = this;
    for (;;) {
      const { size, nlink } = this.parts.fs.fstatSync(this.#descriptor());
      this.isRemoved = nlink === 0;
      if (size < history.size) {
        throw history.damaged(size, `it is shorter than the ${history.size} bytes read before`);
      }
      if (size === history.size) return;
      history.fold(this.#bytes(history.offset, size));
    }
  }

  /** `true`: the record is valid (and not yet on disk). `false`: others wrote first, it is void, decide again. */
  append(entry: Entry<RecordFields>, basis: Basis = this.history.basis): boolean {
    if (!this.isWritable) throw notWritable(this.path);
    const nonce = newNonce();
    const placement = {
      g: this.parts.name.generation,
      at: basis.size + (basis.isTorn ? 1 : 0),
      pv: basis.lastNonce,
      s: this.history.syncedTo,
      n: nonce,
    };
    const line = encodeLine(entry, placement, basis.isTorn);
    if (line.length > MAX_RECORD_BYTES) throw this.#tooLarge(line.length);
    this.history.expect(nonce);
    const failure = this.#writeOnce(line);
    this.readBack();
    if (this.history.hasAccepted) return true;
    if (failure !== undefined) throw failure;
    return false;
  }

  #open(flags: number): number | undefined {
    try {
      // Never O_CREAT: a name that existed once must not come back.
      return this.parts.fs.openSync(this.path, flags);
    } catch (error) {
      const code = codeOf(error) ?? '';
      if (code === 'ENOENT') return undefined;
      if (flags === constants().O_RDONLY || !['EACCES', 'EROFS', 'EPERM'].includes(code)) throw error;
      this.isWritable = false;
      return this.#open(constants().O_RDONLY);
    }
  }

  #descriptor(): number {
    if (this.fd === undefined) throw new Error(`${this.path} is not open`);
    return this.fd;
  }

  #bytes(from: number, to: number): Buffer {
    const bytes = Buffer.allocUnsafe(to - from);
    let count = 0;
    while (count < bytes.length) {
      const got = this.parts.fs.readSync(
        this.#descriptor(),
        bytes,
        count,
        bytes.length - count,
        from + count,
      );
      if (got === 0) break;
      count += got;
    }
    return bytes.subarray(0, count);
  }

  /** One write, never continued: the rest of a short one could land behind somebody else's record. */
  #writeOnce(line: Buffer): unknown {
    try {
      const written = this.parts.fs.writeSync(this.#descriptor(), line);
      return written < line.length ? shortWrite(written, line.length) : undefined;
    } catch (error) {
      return error;
    }
  }

  /** As `read`, where a record of our own may stand that was not answered yet. */
  readBack(): void {
    try {
      this.read();
    } catch (error) {
      if (error instanceof SDKError) throw error;
      // The record may be there.
      throw outcomeUnknown(this.path, error);
    }
  }

  #tooLarge(bytes: number): SDKError {
    const { fold, id } = this.parts;
    return new SDKError(
      'LOUSHO_CHECKPOINT_TOO_LARGE',
      `${fold.noun} ${id}: expected a record of at most ${MAX_RECORD_BYTES} bytes, got ${bytes}`,
    );
  }
}

function notWritable(path: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`EACCES: ${path} is not writable`), { code: 'EACCES' });
}

function shortWrite(written: number, wanted: number): NodeJS.ErrnoException {
  return Object.assign(new Error(`ENOSPC: only ${written} of ${wanted} bytes were written`), {
    code: 'ENOSPC',
  });
}
