import { isShallotError, ShallotError } from '@shallot/core';
import { whoThrew } from '@shallot/core/config';
import { messageOf } from '@shallot/core/plugin';

/** How an error that nobody waited for came to light. */
export type UncaughtKind = 'exception' | 'rejection' | 'exit';

const told: Readonly<Record<UncaughtKind, (what: string) => string>> = {
  exception: (what) =>
    `An error was thrown outside any run, for example in a timer or an event listener: ${what}. Catch it there.`,
  rejection: (what) => `A promise was rejected without being awaited: ${what}. Await it, or catch its error.`,
  exit: () => 'process.exit was called before the command finished. Throw an error instead.',
};

/** The one error for what nobody waited for: with the plugin and the place, as far as its stack tells. */
export function describeUncaught(thrown: unknown, kind: UncaughtKind): ShallotError {
  if (isShallotError(thrown, 'UNCAUGHT')) return thrown;
  const what = isShallotError(thrown) ? `${thrown.code}: ${thrown.message}` : messageOf(thrown);
  const { isOurs, ...thrower } = whoThrew(thrown);
  const message = isOurs
    ? `The command failed unexpectedly: ${what}. Please report this.`
    : told[kind](what.replace(/\.$/, ''));
  return new ShallotError(isOurs ? 'INTERNAL' : 'UNCAUGHT', { message, cause: thrown, ...thrower });
}
