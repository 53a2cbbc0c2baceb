import { ShallotError } from '@shallot/core';
import { trackPlugins } from '@shallot/core/command';

import { carryOut } from './carry-out.ts';
import { describeUncaught, type UncaughtKind } from './describe-uncaught.ts';
import type { Invocation } from './invocation.ts';
import { noteFailure } from './rendering/note-failure.ts';
import { toJson } from './rendering/render-json.ts';
import { exitStatus } from './terminal/exit-status.ts';
import type { Io } from './terminal/io.ts';
import { leave, watchLeaving } from './terminal/leave.ts';
import { Screen } from './terminal/screen.ts';
import { takeStdout } from './terminal/take-stdout.ts';
import { turnOfTheLoop, Uncaught } from './terminal/uncaught.ts';

/**
 * Executes a command as the only work of this process, reports errors that other code throws outside of it, and ends
 * the process.
 */
export async function carryOutWatched(invocation: Invocation): Promise<never> {
  const { env } = process;
  let isFailed = false;
  const uncaught = new Uncaught((error) => {
    isFailed = true;
    noteFailure(error, screen);
  });
  const streams = takeStdout(() => screen.status(''));
  const io: Io = {
    ...streams,
    env,
    cwd: process.cwd(),
    get stdin() {
      return process.stdin;
    },
  };
  const screen = new Screen(io, uncaught);
  const report =
    (kind: UncaughtKind) =>
    (thrown: unknown): void =>
      uncaught.report(describeUncaught(thrown, kind));
  process.on('unhandledRejection', report('rejection'));
  process.on('uncaughtException', report('exception'));
  watchLeaving((stack) => {
    const error = describeUncaught(stack, 'exit');
    if (screen.json) void screen.line(toJson({ type: 'error', error }));
    return noteFailure(error, screen);
  });
  watchIdleness(uncaught);
  trackPlugins();
  const status = await carryOut(invocation, screen);
  // Waits for errors that were thrown but not yet reported.
  await turnOfTheLoop();
  // All output is written, so a tool that ignores its abort signal need not be waited for.
  return leave(isFailed && status === exitStatus.completed ? exitStatus.failed : status);
}

/**
 * Reports an error if the process is about to end because nothing is scheduled, although the command is still waiting. If
 * that happens again, ends the process.
 */
function watchIdleness(uncaught: Uncaught): void {
  let isTold = false;
  process.on('beforeExit', () => {
    const error = new ShallotError('UNCAUGHT', {
      message:
        'The command is waiting for a promise that can never settle: no timer, file or connection is left. Look for a promise in the config, a plugin, a tool or the model that is never resolved.',
    });
    if (isTold) leave(exitStatus.failed);
    isTold = true;
    uncaught.report(error);
    // Keeps the process alive for a tick, so that listeners can react.
    setImmediate(() => undefined);
  });
}
