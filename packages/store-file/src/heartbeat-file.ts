import { processIdentity } from '@lousho/core/node';
import { SLOT_BYTES } from './heartbeat.js';
import type { BeatRef } from './held-lease.js';
import type { LogFs } from './log-fs.js';
import { newNonce } from './log-names.js';

/**
 * The heartbeats of all leases of one store object: a file with 64 bytes for each, of which one write renews any number. Never
 * synced: after a power cut there is no holder left.
 */
export class HeartbeatFile {
  #name = '';
  #free: number[] = [];
  #slots: Buffer = Buffer.alloc(0);
  #fd: number | undefined;

  constructor(
    readonly fs: LogFs,
    readonly directory: string,
  ) {}

  /** A slot of one's own, empty. */
  take(): BeatRef {
    this.#open();
    const slot = this.#free.pop() ?? this.#grow();
    this.#set(slot, Buffer.alloc(SLOT_BYTES, ' '));
    this.#write(slot, slot);
    return { file: this.#name, slot };
  }

  give({ file, slot }: BeatRef): void {
    if (file !== this.#name || this.#free.includes(slot)) return;
    this.#set(slot, Buffer.alloc(SLOT_BYTES, ' '));
    if (this.#fd !== undefined) this.#write(slot, slot);
    this.#free.push(slot);
  }

  /** Writes these beats in one call. `false` when nobody can see them, since the file was removed. */
  beat(beats: readonly { readonly slot: number; readonly bytes: Buffer }[]): boolean {
    if (beats.length === 0) return true;
    for (const { slot, bytes } of beats) this.#set(slot, bytes);
    const slots = beats.map(({ slot }) => slot);
    this.#write(Math.min(...slots), Math.max(...slots));
    return !this.#isRemoved();
  }

  close(): void {
    if (this.#fd === undefined) return;
    this.fs.closeSync(this.#fd);
    this.#fd = undefined;
    try {
      this.fs.unlinkSync(`${this.directory}/${this.#name}`);
    } catch {
      // It is silent from now on, and prune() removes it some day.
    }
  }

  #open(): void {
    if (this.#fd !== undefined && !this.#isRemoved()) return;
    if (this.#fd !== undefined) this.fs.closeSync(this.#fd);
    this.#fd = undefined;
    this.#name = `${processIdentity().pid}-${newNonce()}`;
    this.#slots = Buffer.alloc(0);
    this.#free = [];
    this.fs.mkdirSync(this.directory, { recursive: true, mode: 0o700 });
    this.#fd = this.fs.openSync(`${this.directory}/${this.#name}`, 'wx', 0o600);
  }

  #isRemoved(): boolean {
    return this.#fd === undefined || this.fs.fstatSync(this.#fd).nlink === 0;
  }

  #grow(): number {
    const slot = this.#slots.length / SLOT_BYTES;
    this.#slots = Buffer.concat([this.#slots, Buffer.alloc(SLOT_BYTES, ' ')]);
    return slot;
  }

  #set(slot: number, bytes: Buffer): void {
    bytes.copy(this.#slots, slot * SLOT_BYTES);
  }

  #write(first: number, last: number): void {
    if (this.#fd === undefined) return;
    const [from, to] = [first * SLOT_BYTES, (last + 1) * SLOT_BYTES];
    this.fs.writeSync(this.#fd, this.#slots, from, to - from, from);
  }
}
