import type { Writable } from 'node:stream';

import { exitStatus } from './exit-status.ts';
import type { Io } from './io.ts';

/** The output of a command line that runs no command. */
export interface Printout {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Prints the output. Resolves to the exit status once all of it is written, or cannot be. */
export async function print(
  { status, stdout, stderr }: Printout,
  io: Pick<Io, 'stdout' | 'stderr'>,
): Promise<number> {
  const [broken] = await Promise.all([write(io.stdout, stdout), write(io.stderr, stderr)]);
  return broken === undefined ? status : statusOfBroken(broken, status, io);
}

/**
 * Returns the exit status after stdout failed. A closed reader or terminal is ignored; other errors mean that output is
 * missing, and are reported on stderr.
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

/** Writes text to a stream. Resolves to the error, if there is one. */
function write(stream: Writable, text: string): Promise<Error | undefined> {
  return new Promise((resolve) => {
    // The stream also emits the error as an event, which must have a listener.
    stream.on('error', resolve);
    stream.write(text, (error) => {
      if (error === null || error === undefined) stream.off('error', resolve);
      resolve(error ?? undefined);
    });
  });
}
