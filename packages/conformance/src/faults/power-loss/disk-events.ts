import { isIn } from '../trace/mutating-calls.js';
import { bytesOf, type TracedCall, textOf } from '../trace/strace-line.js';
import {
  type DataChange,
  type DiskDirectory,
  type DiskFile,
  type DiskNode,
  findNode,
  findParent,
  newDirectory,
  newFile,
} from './disk.js';

const SYNCS = ['fsync', 'fdatasync'];

export function isSync(call: string): boolean {
  return SYNCS.includes(call);
}

interface Descriptor {
  readonly node: DiskNode;
  readonly appends: boolean;
  position: number;
}

/** Does to a modelled disk what the traced calls did to the real one, one after the other. */
export class DiskReplay {
  readonly #descriptors = new Map<string, Descriptor>();
  #at = 0;

  constructor(
    readonly disk: DiskDirectory,
    readonly folder: string,
  ) {}

  /** Whether the call changed the disk, or what of it is safe. */
  apply(call: TracedCall): boolean {
    this.#at += 1;
    const { args, name } = call;
    if (call.result === undefined) return false;
    if (call.result.startsWith('-1')) return isSync(name) && this.#failToSync(args[0]);
    switch (name) {
      case 'open':
        return this.#open(textOf(args[0]), args[1] ?? '', call.result);
      case 'openat':
        return this.#open(textOf(args[1]), args[2] ?? '', call.result);
      case 'mkdir':
        return this.#create(textOf(args[0]), newDirectory());
      case 'mkdirat':
        return this.#create(textOf(args[1]), newDirectory());
      case 'rename':
        return this.#rename(textOf(args[0]), textOf(args[1]));
      case 'renameat':
      case 'renameat2':
        return this.#rename(textOf(args[1]), textOf(args[3]));
      case 'unlink':
      case 'rmdir':
        return this.#remove(textOf(args[0]));
      case 'unlinkat':
        return this.#remove(textOf(args[1]));
      case 'write':
        return this.#write(args[0], bytesOf(args[1]).subarray(0, Number(call.result)));
      case 'pwrite64':
        return this.#write(args[0], bytesOf(args[1]).subarray(0, Number(call.result)), Number(args[3]));
      case 'ftruncate':
        return this.#truncate(args[0], Number(args[1]));
      case 'fsync':
      case 'fdatasync':
        return this.#sync(args[0], call.startedAt);
      default:
        return this.#refuse(call);
    }
  }

  #open(path: string, flags: string, result: string): boolean {
    const number = result.split('<')[0] as string;
    this.#descriptors.delete(number);
    if (!isIn(path, this.folder)) return false;
    let node = findNode(this.disk, this.folder, path);
    const isNew = node === undefined;
    node ??= newFile();
    if (isNew) this.#create(path, node);
    this.#descriptors.set(number, { node, appends: flags.includes('O_APPEND'), position: 0 });
    if (!isNew && flags.includes('O_TRUNC') && node.kind === 'file' && node.length > 0) {
      this.#change(node, { length: 0 });
      return true;
    }
    return isNew;
  }

  #create(path: string, node: DiskNode): boolean {
    const [directory, name] = findParent(this.disk, this.folder, path);
    if (!directory || !isIn(path, this.folder) || path === this.folder) return false;
    directory.names.set(name, node);
    directory.pending.push({ kind: 'name', directory, names: [[name, node]], at: this.#at });
    return true;
  }

  #rename(from: string, to: string): boolean {
    const [source, oldName] = findParent(this.disk, this.folder, from);
    const [target, newName] = findParent(this.disk, this.folder, to);
    const node = source?.names.get(oldName);
    if (!source || !target || !node) return false;
    source.names.delete(oldName);
    target.names.set(newName, node);
    const [gone, there] = [[oldName, null] as const, [newName, node] as const];
    if (source === target) {
      source.pending.push({ kind: 'name', directory: source, names: [gone, there], at: this.#at });
      return true;
    }
    source.pending.push({ kind: 'name', directory: source, names: [gone], at: this.#at });
    target.pending.push({ kind: 'name', directory: target, names: [there], at: this.#at });
    return true;
  }

  #remove(path: string): boolean {
    const [directory, name] = findParent(this.disk, this.folder, path);
    if (!directory?.names.delete(name)) return false;
    directory.pending.push({ kind: 'name', directory, names: [[name, null]], at: this.#at });
    return true;
  }

  #write(argument: string | undefined, bytes: Buffer, offset?: number): boolean {
    const descriptor = this.#descriptorOf(argument);
    if (descriptor?.node.kind !== 'file') return false;
    const { node } = descriptor;
    const from = offset ?? (descriptor.appends ? node.length : descriptor.position);
    if (offset === undefined) descriptor.position = from + bytes.length;
    this.#change(node, { write: { offset: from, bytes } });
    return true;
  }

  #truncate(argument: string | undefined, length: number): boolean {
    const node = this.#descriptorOf(argument)?.node;
    if (node?.kind !== 'file') return false;
    this.#change(node, { length });
    return true;
  }

  #change(file: DiskFile, change: Pick<DataChange, 'write' | 'length'>): void {
    file.pending.push({ kind: 'data', file, ...change, at: this.#at });
    const end = change.write ? change.write.offset + change.write.bytes.length : 0;
    file.length = change.length ?? Math.max(file.length, end);
  }

  /** What was changed while the call was under way may not be covered by it. */
  #sync(argument: string | undefined, startedAt: number): boolean {
    const node = this.#descriptorOf(argument)?.node;
    if (!node) return false;
    const isCovered = ({ at }: { at: number }) => at <= startedAt;
    if (node.kind === 'file') {
      node.onDisk = withChanges(node.onDisk, node.pending.filter(isCovered));
      node.pending = node.pending.filter((change) => !isCovered(change));
    } else {
      for (const { names } of node.pending.filter(isCovered)) setNames(node.onDisk, names);
      node.pending = node.pending.filter((change) => !isCovered(change));
    }
    return true;
  }

  /** What was to be brought to disk counts as clean from now on, and is not there: no later sync brings it. */
  #failToSync(argument: string | undefined): boolean {
    const node = this.#descriptorOf(argument)?.node;
    if (node?.kind !== 'file' || node.pending.length === 0) return false;
    node.pending = [];
    return true;
  }

  #descriptorOf(argument: string | undefined): Descriptor | undefined {
    return this.#descriptors.get((argument ?? '').split('<')[0] as string);
  }

  #refuse({ name, args }: TracedCall): false {
    if (args.some((arg) => arg.includes(`${this.folder}/`))) {
      throw new Error(`the model of the disk does not know ${name}(${args.join(', ').slice(0, 200)})`);
    }
    return false;
  }
}

export function withChanges(
  before: Buffer,
  changes: readonly Pick<DataChange, 'write' | 'length'>[],
): Buffer {
  let bytes = before;
  for (const { write, length } of changes) {
    if (length !== undefined) bytes = resized(bytes, length);
    if (!write) continue;
    const end = write.offset + write.bytes.length;
    bytes = Buffer.from(end > bytes.length ? resized(bytes, end) : bytes);
    write.bytes.copy(bytes, write.offset);
  }
  return bytes;
}

export function setNames(
  names: Map<string, DiskNode>,
  changes: readonly (readonly [string, DiskNode | null])[],
): void {
  for (const [name, node] of changes) {
    if (node) names.set(name, node);
    else names.delete(name);
  }
}

function resized(bytes: Buffer, length: number): Buffer {
  return length <= bytes.length
    ? bytes.subarray(0, length)
    : Buffer.concat([bytes, Buffer.alloc(length - bytes.length)]);
}
