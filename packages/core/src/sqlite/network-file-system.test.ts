import { tmpdir } from 'node:os';

import { expect, test } from 'vitest';

import { nameNetworkType, networkFileSystem } from './network-file-system.ts';

test.each([
  { type: 0x6969, name: 'NFS' },
  { type: 0xff534d42, name: 'CIFS' },
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
