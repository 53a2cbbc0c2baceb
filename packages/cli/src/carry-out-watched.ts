import { ShallotError } from '@shallot/core';
import { trackPlugins } from '@shallot/core/config';

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

/** Carries a command out as the only work of this process: what other code does to the process is reported. Ends the process. */
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
  // What has gone wrong by now must not be lost.
  await turnOfTheLoop();
  // A tool that ignored its signal must not keep the process: everything is written.
  return leave(isFailed && status === exitStatus.completed ? exitStatus.failed : status);
}

/** Node ends a process that has nothing left to do, whatever it still waits for. */
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
    // Whatever heard of it has something to do; when nothing did, this is the end.
    setImmediate(() => undefined);
  });
}
