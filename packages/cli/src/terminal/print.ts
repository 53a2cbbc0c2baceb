import type { Writable } from 'node:stream';

import { exitStatus } from './exit-status.ts';
import type { Io } from './io.ts';

/** What a command has to say when it has nothing to do. */
export interface Printout {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Resolves with the exit status when everything is written, or cannot be. */
export async function print(
  { status, stdout, stderr }: Printout,
  io: Pick<Io, 'stdout' | 'stderr'>,
): Promise<number> {
  const [broken] = await Promise.all([write(io.stdout, stdout), write(io.stderr, stderr)]);
  return broken === undefined ? status : statusOfBroken(broken, status, io);
}

/**
 * The exit status once stdout could not be written. A reader that went away is nothing to talk about, nor a terminal that was
 * closed; any other reason means that the output is not complete, and is said on stderr.
 */
export function statusOfBroken(
  error: NodeJS.ErrnoException,
  status: number,
  { stdout, stderr }: Pick<Io, 'stdout' | 'stderr'>,
): number {
  if (error.code === 'EPIPE' || (stdout.isTTY === true && error.code === 'EIO')) return status;
  stderr.write(`error cannot write to stdout: ${error.message}\n`);
  return exitStatus.failed;
}

/** Resolves with what went wrong, if anything did. */
function write(stream: Writable, text: string): Promise<Error | undefined> {
  return new Promise((resolve) => {
    // Its error is an event, too, which nobody else listens to.
    stream.on('error', resolve);
    stream.write(text, (error) => {
      if (error === null || error === undefined) stream.off('error', resolve);
      resolve(error ?? undefined);
    });
  });
}
