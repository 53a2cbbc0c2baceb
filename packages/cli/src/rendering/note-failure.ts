import { isShallotError } from '@shallot/core';

import { calledAs } from '../terminal/called-as.ts';
import { CommandFailure } from '../terminal/command-failure.ts';
import type { Screen } from '../terminal/screen.ts';
import { statusOf } from '../terminal/status-of.ts';
import { renderError } from './render-error.ts';

/** Prints an error and advice to stderr; with stacks for `--debug` or SHALLOT_DEBUG. Returns the exit status. */
export function noteFailure(error: unknown, screen: Screen): number {
  const failure = error instanceof CommandFailure ? error : undefined;
  const cause = failure === undefined ? error : (failure.cause ?? failure);
  const paint = screen.paintNotes;
  const shown = screen.redactor.text(renderError(cause, { cwd: screen.io.cwd, paint, debug: screen.debug }));
  screen.note(`${paint.red('error')} ${shown}`);
  // If the error has a place, a config exists, but is wrong.
  const isAbsent = isShallotError(cause, 'CONFIG_NOT_FOUND') && cause.at === undefined;
  const hint = failure?.hint ?? (isAbsent ? `To write one: ${calledAs(screen.io.env)} init` : undefined);
  if (hint !== undefined) screen.note(hint);
  return failure?.status ?? statusOf(error);
}

/** Prints a nonfatal error to stderr. */
export function noteWarning(error: unknown, screen: Screen): void {
  const paint = screen.paintNotes;
  const shown = screen.redactor.text(renderError(error, { cwd: screen.io.cwd, paint }));
  screen.note(`${paint.yellow('warning')} ${shown}`);
}
