import { ConfigurationError } from '@lousho/core/contract';
import type { LogFs } from './log-fs.js';

/** statfs(2) types of file systems on which appends of two clients are not one after another, or on which nobody has shown it. */
const REFUSED = new Map<number, string>([
  [0x6969, 'NFS'],
  [0x517b, 'SMB'],
  [0xfe534d42, 'SMB'],
  [0xff534d42, 'CIFS'],
  [0x01021997, '9p'],
  [0x65735546, 'FUSE or virtiofs'],
  [0x786f4256, 'a VirtualBox shared folder'],
  [0x5346414f, 'AFS'],
  [0x73757245, 'Coda'],
  [0x00c36400, 'Ceph'],
  [0x0bd00bd0, 'Lustre'],
  [0x01161970, 'GFS2'],
  [0x7461636f, 'OCFS2'],
]);

/** The name of a file system that the store cannot keep its promises on; `null` for one that it can. */
export function refusedFileSystem(statfsType: number): string | null {
  // Node gives the type as a signed number on some platforms.
  return REFUSED.get(statfsType >>> 0) ?? null;
}

/** Refuses a directory on a network file system. Only Linux tells the kind by a number. */
export function assertLocalFileSystem(fs: LogFs, path: string): void {
  if (process.platform !== 'linux') return;
  const kind = refusedFileSystem(fs.statfsSync(path).type);
  if (kind === null) return;
  throw new ConfigurationError(`Expected \`dir\` to be on a local file system, got ${path} on ${kind}`, {
    field: 'dir',
    hint: 'Use a directory on a local disk, or a store that is made for several machines.',
  });
}
