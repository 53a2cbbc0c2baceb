import { Console } from 'node:console';

import type { Io } from './io.ts';

type Write = (...args: Parameters<NodeJS.WriteStream['write']>) => boolean;

/**
 * Reserves stdout for the command, since a program may read it. Output of other code through `process.stdout` or
 * `console` goes to stderr, and other code can end neither stream; `beforeOthers` is called before such output, and
 * before other output to stderr. Returns the command's own streams.
 */
export function takeStdout(beforeOthers: () => void): Pick<Io, 'stdout' | 'stderr'> {
  const { stdout, stderr } = process;
  const own = { stdout: ownStream(stdout), stderr: ownStream(stderr) };
  const write = stderr.write.bind(stderr);
  const writeOthers: Write = (...args) => {
    beforeOthers();
    return write(...args);
  };
  giveOthers(stdout, writeOthers);
  giveOthers(stderr, writeOthers);
  Object.assign(console, new Console({ stdout: stderr, stderr }));
  return own;
}

/** Returns the stream with its original `write`. */
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

/**
 * Redirects writes by other code, and ignores its attempts to end the stream. Destroying these streams has no effect in
 * Node.
 */
function giveOthers(stream: NodeJS.WriteStream, write: Write): void {
  stream.write = write as typeof stream.write;
  stream.end = (...args: readonly unknown[]) => {
    const [chunk] = args;
    const hasChunk = typeof chunk !== 'function' && chunk !== undefined && chunk !== null;
    const written = hasChunk ? args : ['', ...args.filter((each) => typeof each === 'function')];
    write(...(written as Parameters<Write>));
    return stream;
  };
}
