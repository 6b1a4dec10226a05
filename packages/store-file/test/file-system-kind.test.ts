import { fileStore, type LogFs } from '@lousho/store-file';
import { describe, expect, it } from 'vitest';
import { refusedFileSystem } from '../dist/file-system-kind.js';
import { faultFs } from './support/fault-fs.js';
import { tempDir } from './support/temp-dir.js';

describe('the kind of file system', () => {
  it.each([
    ['NFS', 0x6969, 'NFS'],
    ['SMB', 0x517b, 'SMB'],
    ['SMB 2', 0xfe534d42, 'SMB'],
    ['CIFS, read as a signed number', 0xff534d42 | 0, 'CIFS'],
    ['9p', 0x01021997, '9p'],
    ['FUSE', 0x65735546, 'FUSE or virtiofs'],
    ['ext4', 0xef53, null],
    ['tmpfs', 0x01021994, null],
    ['overlayfs', 0x794c7630, null],
    ['xfs', 0x58465342, null],
    ['btrfs', 0x9123683e, null],
  ])('%s', (_, type, wanted) => {
    expect(refusedFileSystem(type)).toBe(wanted);
  });

  it.runIf(process.platform === 'linux')(
    'is looked at on the first use, and a network one is refused',
    async () => {
      const real = faultFs({});
      const fs = { ...real, statfsSync: () => ({ type: 0x6969 }) } as unknown as LogFs;
      const store = fileStore(tempDir(), { fs });
      const refusal = { code: 'LOUSHO_CONFIG_INVALID', field: 'dir' };
      await expect(store.checkpoints.load('r1')).rejects.toMatchObject(refusal);
      await expect(store.checkpoints.list?.()).rejects.toMatchObject(refusal);
      await expect(store.checkpoints.acquireLease?.('r1', 'worker-a', 1_000)).rejects.toMatchObject(refusal);
    },
  );
});
