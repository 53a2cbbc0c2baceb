import { Console } from 'node:console';

import type { Io } from './io.ts';

/**
 * Takes stdout for the command alone: it is for the answer, which a program may read. What other code of this process
 * writes through `process.stdout` or `console` goes to stderr from then on; `beforeOthers` is called before that, and before
 * what they write to stderr itself. Gives the command's own way to both streams.
 */
export function takeStdout(beforeOthers: () => void): Pick<Io, 'stdout' | 'stderr'> {
  const { stdout, stderr } = process;
  const own = { stdout: ownStream(stdout), stderr: ownStream(stderr) };
  const write = stderr.write.bind(stderr);
  const writeOthers = (...args: Parameters<typeof write>): boolean => {
    beforeOthers();
    return write(...args);
  };
  stdout.write = writeOthers as typeof stdout.write;
  stderr.write = writeOthers as typeof stderr.write;
  Object.assign(console, new Console({ stdout: stderr, stderr }));
  return own;
}

/** The same stream, which keeps its way to write whatever others are given. */
function ownStream<T extends NodeJS.WriteStream>(stream: T): T {
  const write = stream.write.bind(stream);
  return new Proxy(stream, {
    get(target, key) {
      if (key === 'write') return write;
      const member: unknown = Reflect.get(target, key, target);
      return typeof member === 'function' ? (member.bind(target) as unknown) : member;
    },
  });
}
