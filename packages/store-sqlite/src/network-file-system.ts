/** File systems that `statfs` names by these numbers reach another machine or kernel. */
const NETWORK_TYPES: ReadonlyMap<number, string> = new Map([
  [0x6969, 'NFS'],
  [0x517b, 'SMB'],
  [0xfe534d42, 'SMB'],
  [0xff534d42, 'CIFS'],
  [0x01021997, '9p'],
  [0x65735546, 'FUSE'],
]);

/**
 * The name of the network file system behind a Linux `statfs` type; `undefined` for every other type. The write-ahead log needs
 * memory that all processes share and locks that hold, which these do not give.
 */
export function networkFileSystem(type: number | bigint): string | undefined {
  // Some kernels report the type as a signed 32-bit number.
  return NETWORK_TYPES.get(Number(BigInt.asUintN(32, BigInt(type))));
}
