import { expect, test } from 'vitest';
import { networkFileSystem } from '../src/network-file-system.js';

test.each([
  [0x6969, 'NFS'],
  [0x517b, 'SMB'],
  [0xfe534d42, 'SMB'],
  [0xff534d42, 'CIFS'],
  [0xff534d42 - 2 ** 32, 'CIFS'],
  [0x01021997n, '9p'],
  [0x65735546, 'FUSE'],
])('the type %s is a network file system', (type, name) => {
  expect(networkFileSystem(type)).toBe(name);
});

test.each([
  ['ext4', 0xef53],
  ['xfs', 0x58465342],
  ['btrfs', 0x9123683e],
  ['tmpfs', 0x01021994],
  ['overlayfs', 0x794c7630],
])('%s is local', (_, type) => {
  expect(networkFileSystem(type)).toBeUndefined();
});
