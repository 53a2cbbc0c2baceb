import { readFileSync, statfsSync, statSync } from 'node:fs';

/** Types of `statfs(2)` for network file systems, as in Linux's `magic.h`. */
const networkTypes: ReadonlyMap<number, string> = new Map([
  [0x6969, 'NFS'],
  [0x517b, 'SMB'],
  [0xfe534d42, 'SMB'],
  [0xff534d42, 'CIFS'],
  [0x01021997, '9P'],
  [0x00c36400, 'Ceph'],
  [0x5346414f, 'AFS'],
  [0x6b414653, 'AFS'],
  [0x0bd00bd0, 'Lustre'],
  [0x73757245, 'Coda'],
]);

const fuseType = 0x65735546;

/** The types of FUSE mounts that are network file systems. */
const networkFuse =
  /^fuse\.(?:sshfs|rclone|s3fs|s3ql|gcsfuse|glusterfs|davfs2?|curlftpfs|ceph|juicefs|goofys)$/;

/**
 * Returns the network file system that a directory is on; undefined if it is on none, or if this is unknown, as on all
 * systems but Linux.
 */
export function networkFileSystem(directory: string, platform = process.platform): string | undefined {
  if (platform !== 'linux') return undefined;
  const { type } = statfsSync(directory);
  return nameNetworkType(type, () => mountType(directory));
}

/** Returns the name of a `statfs` type; `mount` is called only if the type of the mount decides. */
export function nameNetworkType(type: number, mount: () => string | undefined): string | undefined {
  // Some types have the highest bit set, which some systems return as negative numbers.
  const unsigned = type >>> 0;
  if (unsigned !== fuseType) return networkTypes.get(unsigned);
  const name = mount();
  return name !== undefined && networkFuse.test(name) ? name : undefined;
}

/**
 * Returns the type of the mount that contains a directory, from `/proc/self/mountinfo` (see `proc_pid_mountinfo(5)`).
 */
function mountType(directory: string): string | undefined {
  const { dev } = statSync(directory);
  // As glibc's gnu_dev_major and gnu_dev_minor for 32-bit device numbers.
  const device = `${(dev >>> 8) & 0xfff}:${(dev & 0xff) | ((dev >>> 12) & 0xfff00)}`;
  for (const line of readFileSync('/proc/self/mountinfo', 'utf8').split('\n')) {
    const [mount = '', type = ''] = line.split(' - ');
    if (mount.split(' ')[2] === device) return type.split(' ')[0];
  }
  return undefined;
}
