import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { ShallotError } from '@shallot/core';
import { messageOf } from '@shallot/core/plugin';

/** The time that bubblewrap has to start. */
const tryMs = 10_000;

/**
 * Returns the program and the arguments to put before a command. They make the disk read-only except for the root.
 * `/tmp` and the root's `.shallot` are empty, there is no network unless it is requested, and processes outside of
 * the sandbox are invisible together with their environments.
 */
export function bubblewrap(root: string, network: boolean): readonly string[] {
  const disk = '--ro-bind / / --dev /dev --proc /proc --tmpfs /tmp';
  const spaces =
    '--unshare-user-try --unshare-pid --unshare-ipc --unshare-uts --unshare-cgroup-try --cap-drop ALL';
  const net = network ? [] : ['--unshare-net'];
  // This directory contains the sessions and tokens of the agent, and records about its files.
  const own = join(root, '.shallot');
  const hidden = existsSync(own) ? ['--tmpfs', own] : [];
  return [
    'bwrap',
    ...disk.split(' '),
    '--bind',
    root,
    root,
    ...hidden,
    ...spaces.split(' '),
    ...net,
    '--die-with-parent',
    '--chdir',
    root,
  ];
}

/** Checks that bubblewrap works on this machine. @throws `shell/SANDBOX` */
export async function checkBubblewrap(
  env: NodeJS.ProcessEnv,
  platform: NodeJS.Platform = process.platform,
): Promise<void> {
  if (platform !== 'linux')
    throw unusable(
      'there is bubblewrap for Linux only',
      'Set sandbox: { command: [...] } to a sandbox of this system',
    );
  const [program = '', ...args] = bubblewrap('/', false);
  try {
    await promisify(execFile)(program, [...args, 'true'], { env, timeout: tryMs });
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    throw isMissing
      ? unusable(
          'bubblewrap is not installed',
          'Install it: apt install bubblewrap, dnf install bubblewrap, pacman -S bubblewrap',
        )
      : unusable(
          `bubblewrap does not work here: ${reasonOf(error)}`,
          'It needs user namespaces: allow them (sysctl kernel.unprivileged_userns_clone=1; in a container, its security options)',
        );
  }
}

function unusable(why: string, advice: string): ShallotError {
  return new ShallotError('shell/SANDBOX', {
    message: `Commands cannot be run in a sandbox: ${why}. ${advice}, or leave out sandbox: true.`,
  });
}

function reasonOf(error: unknown): string {
  const output = error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : '';
  return output === '' ? messageOf(error) : output;
}
