import { Console } from 'node:console';

import type { Io } from './io.ts';

/**
 * Takes stdout for the command alone: it is for the answer, which a program may read. What other code of this process
 * writes through `process.stdout` or `console` goes to stderr from then on. Gives the stream that still leads to stdout.
 */
export function takeStdout(): Io['stdout'] {
  const { stdout, stderr } = process;
  const write = stdout.write.bind(stdout);
  const own = new Proxy(stdout, {
    get(target, key) {
      if (key === 'write') return write;
      const member: unknown = Reflect.get(target, key, target);
      return typeof member === 'function' ? (member.bind(target) as unknown) : member;
    },
  });
  stdout.write = stderr.write.bind(stderr);
  Object.assign(console, new Console({ stdout: stderr, stderr }));
  return own;
}
