import { Console } from 'node:console';

import type { Io } from './io.ts';

type Write = (...args: Parameters<NodeJS.WriteStream['write']>) => boolean;

/**
 * Takes stdout for the command alone: it is for the answer, which a program may read. What other code of this process
 * writes through `process.stdout` or `console` goes to stderr from then on, and neither stream can be ended by it;
 * `beforeOthers` is called before that, and before what they write to stderr itself. Returns the command's own way to both.
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

/** Lets others write elsewhere; what they end, the command still writes to. Destroying these streams does nothing in Node. */
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
