import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';

import { afterEach, expect, test, vi } from 'vitest';

import { nameNetworkType, networkFileSystem } from './network-file-system.ts';

afterEach(() => {
  vi.restoreAllMocks();
  syncBuiltinESMExports();
});

test.each([
  { type: 0x6969, name: 'NFS' },
  { type: 0x517b, name: 'SMB' },
  { type: 0xfe534d42, name: 'SMB' },
  { type: 0xff534d42, name: 'CIFS' },
  { type: 0x00c36400, name: 'Ceph' },
  { type: 0x5346414f, name: 'AFS' },
  { type: 0x6b414653, name: 'AFS' },
  { type: 0x0bd00bd0, name: 'Lustre' },
  { type: 0x73757245, name: 'Coda' },
  { type: 0xff534d42 | 0, name: 'CIFS' },
  { type: 0x01021997, name: '9P' },
  { type: 0xef53, name: undefined },
  { type: 0x01021994, name: undefined },
])('a file system of type $type is $name', ({ type, name }) => {
  expect(nameNetworkType(type, () => expect.fail('the mount does not decide'))).toBe(name);
});

test.each([
  { mount: 'fuse.sshfs', name: 'fuse.sshfs' },
  { mount: 'fuse.rclone', name: 'fuse.rclone' },
  { mount: 'fuse.gocryptfs', name: undefined },
  { mount: 'fuseblk', name: undefined },
  { mount: undefined, name: undefined },
])('a FUSE mount of type $mount is $name', ({ mount, name }) => {
  expect(nameNetworkType(0x65735546, () => mount)).toBe(name);
});

test('the directory for temporary files is local', () => {
  expect(networkFileSystem(tmpdir())).toBeUndefined();
});

test.each(['darwin', 'win32'] as const)('%s does not say, so it is none', (platform) => {
  expect(networkFileSystem('/missing', platform)).toBeUndefined();
});

test.runIf(process.platform === 'linux').each([
  { dev: 0x801, mount: '8:1' },
  { dev: 0x2f, mount: '0:47' },
  { dev: 0xab_ca_bc_de, mount: '2748:703710' },
])('the mount of a FUSE directory on device $mount is found', ({ dev, mount }) => {
  const mounts = [
    '21 28 0:46 / /a rw - fuse.rclone remote rw',
    `22 28 ${mount} / /home/b rw,nosuid shared:7 - fuse.sshfs b@host: rw`,
    '23 28 8:2 / /c rw - ext4 /dev/sdb2 rw',
  ];
  vi.spyOn(fs, 'statfsSync').mockReturnValue({ type: 0x65735546 } as never);
  vi.spyOn(fs, 'statSync').mockReturnValue({ dev } as never);
  const read = vi.spyOn(fs, 'readFileSync').mockReturnValue(mounts.join('\n'));
  syncBuiltinESMExports();
  expect(networkFileSystem('/home/b')).toBe('fuse.sshfs');
  expect(read).toHaveBeenCalledExactlyOnceWith('/proc/self/mountinfo', 'utf8');
  read.mockReturnValue(mounts.toSpliced(1, 1).join('\n'));
  expect(networkFileSystem('/home/b')).toBeUndefined();
});
