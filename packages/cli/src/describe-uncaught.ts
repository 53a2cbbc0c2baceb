import { isShallotError, ShallotError } from '@shallot/core';
import { whoThrew } from '@shallot/core/command';
import { messageOf } from '@shallot/core/plugin';

/** The way an uncaught error was detected. */
export type UncaughtKind = 'exception' | 'rejection' | 'exit';

const told: Readonly<Record<UncaughtKind, (what: string) => string>> = {
  exception: (what) =>
    `An error was thrown outside any run, for example in a timer or an event listener: ${what}. Catch it there.`,
  rejection: (what) => `A promise was rejected without being awaited: ${what}. Await it, or catch its error.`,
  exit: () => 'process.exit was called before the command finished. Throw an error instead.',
};

/** Returns the error that reports an uncaught one, with the plugin and the location that the stack shows. */
export function describeUncaught(thrown: unknown, kind: UncaughtKind): ShallotError {
  if (isShallotError(thrown, 'UNCAUGHT')) return thrown;
  const what = isShallotError(thrown) ? `${thrown.code}: ${thrown.message}` : messageOf(thrown);
  const { isOurs, ...thrower } = whoThrew(thrown);
  const message = isOurs
    ? `The command failed unexpectedly: ${what}. Please report this.`
    : told[kind](what.replace(/\.$/, ''));
  return new ShallotError(isOurs ? 'INTERNAL' : 'UNCAUGHT', { message, cause: thrown, ...thrower });
}
